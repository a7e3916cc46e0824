package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"time"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

func (a *app) kotaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "kota",
		GroupID: groupContext,
		Short:   "Ask who imports, uses and breaks what in TypeScript",
		Long: `Answers questions about a TypeScript or JavaScript project from an index of what
every file imports, exports and declares. Every answer is about the files as they
are now: what changed is read again before it is given. Nothing is written into
the project, and nothing leaves the machine.

An answer takes at most 5,000 bytes. Its totals are those of everything, and what
is left out comes with the command that shows it. The whole of an answer that was
cut is kept, as long as blobs.enabled is set: it ends with the pictx expand that
prints it as it was then; --max-bytes 0 prints all at once.`,
		Example: `  # what depends on a file, and what does it depend on
  pictx kota deps src/config.ts
  # where is a symbol used, by whatever name it is imported
  pictx kota usages loadConfig
  # what breaks, and which tests to run
  pictx kota impact --modify src/config.ts`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range []*cobra.Command{
		a.kotaIndex(), a.kotaStatus(), a.kotaSearch(), a.kotaDeps(), a.kotaUsages(), a.kotaImpact(),
		a.kotaContext(), a.kotaMap(), a.kotaCycles(), a.kotaGraph(),
	} {
		cmd.AddCommand(c)
	}
	cmd.AddCommand(a.kotaGuard())
	a.engineFlags(cmd)
	return cmd
}

// kotaExits are the codes that a question may end with.
const kotaExits = "3 5 10 130"

// kotaLimits are the flags that say how much of an answer is shown.
type kotaLimits struct {
	maxBytes int
	byFlag   bool // maxBytes was given
	window   kota.Window
	yes      bool
}

// limitFlags gives a question its limits, and --json.
func (a *app) limitFlags(cmd *cobra.Command, l *kotaLimits, limit int) {
	f := cmd.Flags()
	f.IntVar(&l.maxBytes, "max-bytes", kota.DefaultBytes, "print at most this `number` of bytes, 0 for everything; without it kota.max_bytes decides")
	f.IntVar(&l.window.Offset, "offset", 0, "leave out the first `number` of results")
	if limit > 0 {
		f.IntVar(&l.window.Limit, "limit", limit, "print at most this `number` of results")
	} else {
		f.IntVar(&l.window.Limit, "limit", 0, "print at most this `number` of results (default: as many as fit)")
	}
	f.BoolVar(&l.yes, "yes", false, "make the index without asking when there is none")
	a.jsonFlag(cmd)
	prior := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := l.check(cmd); err != nil {
			return err
		}
		if prior != nil {
			return prior(cmd, args)
		}
		return nil
	}
}

// check refuses limits that make no sense.
func (l *kotaLimits) check(cmd *cobra.Command) error {
	help := cmd.CommandPath() + " --help"
	l.byFlag = cmd.Flags().Changed("max-bytes")
	switch {
	case l.maxBytes != 0 && l.maxBytes < kota.LeastBytes:
		return usageError(help, "--max-bytes is %d: want at least %d, or 0 for everything", l.maxBytes, kota.LeastBytes)
	case l.window.Offset < 0:
		return usageError(help, "--offset is %d: want 0 or more", l.window.Offset)
	case cmd.Flags().Changed("limit") && l.window.Limit < 1:
		return usageError(help, "--limit is %d: want 1 or more", l.window.Limit)
	}
	return nil
}

// indexFile is where the index of this project's work tree is.
func (pl place) indexFile() string { return pl.cacheFile("kota") }

// cacheFile is where something of this project's work tree is kept that can be made
// again.
func (pl place) cacheFile(kind string) string {
	sum := sha256.Sum256([]byte(pl.Root))
	return filepath.Join(pl.agentDir, "pictx", hex.EncodeToString(sum[:8])+"."+kind)
}

// kotaOptions say where the project and its index are.
func (a *app) kotaOptions(pl place) index.Options {
	return index.Options{Root: pl.Root, File: pl.indexFile(), Git: pl.Git != "", Languages: languages(), Now: time.Now}
}

// openEngine opens an index, shows how far it is, and says what went wrong.
func (a *app) openEngine(ctx context.Context, o index.Options) (*index.Engine, error) {
	p := a.progressOf("index", 0, func(n int64) string { return text.Thousands(n) + " files" })
	o.Progress = func(done, total int) {
		p.total = int64(total)
		p.to(int64(done))
	}
	e, err := index.Open(ctx, o)
	p.end()
	if err != nil {
		return nil, kotaError(err)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(a.env.Err, "pictx: %s\n", text.Printable(n))
	}
	return e, nil
}

// confirmIndex asks before a project is indexed for the first time.
func (a *app) confirmIndex(ctx context.Context, yes bool, root string) error {
	if yes || !a.env.InTerminal || !a.env.ErrTerminal || a.env.agent() {
		return nil
	}
	ok := true
	form := huh.NewForm(huh.NewGroup(huh.NewConfirm().Title("Index " + text.Printable(root) + "?").
		Description("Reads every TypeScript and JavaScript file. The index is kept outside the project\nand keeps itself up to date.").Value(&ok))).
		WithInput(a.env.In).WithOutput(a.env.Err).WithAccessible(a.env.Getenv("ACCESSIBLE") != "")
	if err := form.RunWithContext(ctx); err != nil && !errors.Is(err, huh.ErrUserAborted) {
		return fmt.Errorf("ask for confirmation: %w", err)
	} else if err != nil || !ok {
		return withHint(exitRefused, "", errors.New("not indexed"))
	}
	return nil
}

// kotaError gives the errors of an engine their codes.
func kotaError(err error) error {
	var query *kota.QueryError
	var pattern *syntax.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kota.ErrNotIndexed):
		return withHint(exitNoProject, "pictx kota index", err)
	case errors.As(err, new(*kota.UnknownFileError)):
		return withHint(exitNotFound, "pictx kota search PART --output paths", err)
	case errors.As(err, new(*kota.UnknownSymbolError)):
		return withHint(exitNotFound, "pictx kota search PART --scope symbols", err)
	case errors.As(err, &pattern):
		return usageError("pictx kota search TEXT takes every character as it is", "search: %w", err)
	case errors.As(err, &query):
		return usageError("pictx kota --help", "%w", err)
	}
	if hinted := kotaDBError(err); hinted != nil {
		return hinted
	}
	return err
}

// files turns the names a person gave into files of the index: as seen from the
// working directory, else from the root.
func (a *app) files(e codeEngine, names []string) ([]string, error) {
	var out []string
	for _, n := range names {
		f, err := e.Find(a.tries(n)...)
		if err != nil {
			return nil, kotaError(err)
		}
		out = append(out, f)
	}
	return out, nil
}

// tries lists what a name of a file may mean.
func (a *app) tries(name string) []string {
	dir := a.env.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if filepath.IsAbs(name) {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return []string{real, name}
		}
		return []string{name}
	}
	return []string{filepath.Join(dir, filepath.FromSlash(name)), name}
}

// completeFiles completes the files of an index that is there already.
func (a *app) completeFiles(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	pl, err := a.place()
	if err != nil || !index.Exists(pl.indexFile()) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	e, err := index.Open(cmd.Context(), a.kotaOptions(pl))
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return e.Files(), cobra.ShellCompDirectiveNoFileComp
}

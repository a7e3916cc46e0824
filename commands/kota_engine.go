package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp/syntax"
	"strings"
	"time"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
	"github.com/coctostan/pictx/kota/mcp"
)

// languages are those whose code the program indexes. Another one is added here.
func languages() lang.Set { return lang.NewSet(ts.Language()) }

// codeFiles are the files of a project's work tree.
func (pl place) codeFiles() index.Files {
	return index.Files{Root: pl.Root, Git: pl.Git != "", Languages: languages()}
}

// indexFile is where the index of this project's work tree is.
func (pl place) indexFile() string { return pl.cacheFile("kota") }

// cacheFile is where something of this project's work tree is kept that can be made
// again.
func (pl place) cacheFile(kind string) string {
	sum := sha256.Sum256([]byte(pl.Root))
	return filepath.Join(pl.agentDir, "pictx", hex.EncodeToString(sum[:8])+"."+kind)
}

// indexOptions say where the project and its index are.
func (pl place) indexOptions() index.Options {
	return index.Options{Root: pl.Root, File: pl.indexFile(), Git: pl.Git != "", Languages: languages(), Now: time.Now}
}

// codeEngine is an engine that knows its files by the names people give them.
type codeEngine interface {
	kota.Engine
	// Find returns the path of the first of these names that is a file of the index.
	// The error is about the last.
	Find(names ...string) (string, error)
}

// codeEngines opens engines for the project that a command runs in.
type codeEngines struct {
	run     *app
	name    string // --engine
	verbose bool
}

// flags gives every question the choice of its engine.
func (c *codeEngines) flags(cmd *cobra.Command) {
	words := []string{string(config.EngineBuiltin), string(config.EngineKotaDB)}
	f := cmd.PersistentFlags()
	f.StringVar(&c.name, "engine", "", "which `engine` answers: "+strings.Join(words, ", ")+" (default: the setting kota.engine)")
	f.BoolVar(&c.verbose, "verbose", false, "print the last of what KotaDB prints beside its answers")
	c.run.completeWords(cmd, "engine", words)
}

// settings are the settings of the engine, with the one that a flag names.
func (c *codeEngines) settings() (config.Code, place, error) {
	set, pl, err := c.run.resolved()
	if err != nil {
		return config.Code{}, pl, err
	}
	code := set.Config.Kota
	switch name := config.Engine(c.name); name {
	case "":
	case config.EngineBuiltin, config.EngineKotaDB:
		code.Engine = name
	default:
		return code, pl, usageError("pictx kota --help", "unknown --engine %q: want %s, %s", name, config.EngineBuiltin, config.EngineKotaDB)
	}
	return code, pl, nil
}

// open opens what answers: with an index that is up to date, or one that yes or a
// person let it make.
func (c *codeEngines) open(ctx context.Context, yes bool) (codeEngine, error) {
	code, pl, err := c.settings()
	if err != nil {
		return nil, err
	}
	if code.Engine == config.EngineKotaDB {
		e, err := c.kotaDB(code.KotaDB, pl)
		if err == nil {
			return c.kotaDBIndexed(ctx, e, pl, yes)
		}
		if !errors.Is(err, kota.ErrBusy) {
			return nil, err
		}
		fmt.Fprintln(c.run.env.Err, "pictx: KotaDB is busy with another process: the built-in engine answers")
	}
	return c.builtin(ctx, pl, yes)
}

// builtin is the engine in the program.
func (c *codeEngines) builtin(ctx context.Context, pl place, yes bool) (codeEngine, error) {
	o := pl.indexOptions()
	if !index.Exists(o.File) {
		if err := c.mayIndex(ctx, yes, pl); err != nil {
			return nil, err
		}
		o.Create = true
	}
	return c.openBuiltin(ctx, o)
}

// openBuiltin opens an index, shows how far it is, and says what went wrong.
func (c *codeEngines) openBuiltin(ctx context.Context, o index.Options) (*index.Engine, error) {
	p := c.run.progressOf("index", 0, func(n int64) string { return text.Thousands(n) + " files" })
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
		fmt.Fprintf(c.run.env.Err, "pictx: %s\n", text.Printable(n))
	}
	return e, nil
}

// mayIndex is an error unless the first index may be made.
func (c *codeEngines) mayIndex(ctx context.Context, yes bool, pl place) error {
	asked := c.run.env.InTerminal && c.run.env.ErrTerminal && !c.run.env.agent()
	if !yes && !asked {
		return withHint(exitNoProject, "pictx kota index"+c.engineWord(), fmt.Errorf("ask about %s: %w", pl.Root, kota.ErrNotIndexed))
	}
	return c.confirm(ctx, yes, pl.Root)
}

// confirm asks before a project is indexed for the first time.
func (c *codeEngines) confirm(ctx context.Context, yes bool, root string) error {
	if yes || !c.run.env.InTerminal || !c.run.env.ErrTerminal || c.run.env.agent() {
		return nil
	}
	ok := true
	form := huh.NewForm(huh.NewGroup(huh.NewConfirm().Title("Index " + text.Printable(root) + "?").
		Description("Reads every TypeScript and JavaScript file. The index is kept outside the project\nand keeps itself up to date.").Value(&ok))).
		WithInput(c.run.env.In).WithOutput(c.run.env.Err).WithAccessible(c.run.env.Getenv("ACCESSIBLE") != "")
	if err := form.RunWithContext(ctx); err != nil && !errors.Is(err, huh.ErrUserAborted) {
		return fmt.Errorf("ask for confirmation: %w", err)
	} else if err != nil || !ok {
		return withHint(exitRefused, "", errors.New("not indexed"))
	}
	return nil
}

// engineWord is the flag that names the engine again, when one did.
func (c *codeEngines) engineWord() string {
	if c.name == "" {
		return ""
	}
	return " --engine " + c.name
}

// kotaDBDir is where KotaDB's database of this project's work tree is.
func (pl place) kotaDBDir() string { return strings.TrimSuffix(pl.indexFile(), ".kota") + ".kotadb" }

// kotaDB takes the project for KotaDB. It is given back when the program ends.
func (c *codeEngines) kotaDB(set config.KotaDB, pl place) (*mcp.Engine, error) {
	e, err := mcp.Open(mcp.Options{
		Root: pl.Root, Dir: pl.kotaDBDir(), Git: pl.Git != "", Languages: languages(),
		Command: set.Command, Guard: []string{c.run.env.Self, "kota", "guard", "--"},
		Environ: c.run.env.Environ, Version: c.run.env.Version,
		Start: seconds(set.StartSeconds), Query: seconds(set.QuerySeconds), Index: seconds(set.IndexSeconds),
	})
	if err != nil {
		return nil, kotaError(err)
	}
	c.run.atEnd = append(c.run.atEnd, func() {
		e.Close()
		if body := strings.TrimSpace(e.Noise()); c.verbose && body != "" {
			for line := range strings.Lines(body) {
				fmt.Fprintf(c.run.env.Err, "kotadb: %s\n", text.Printable(strings.TrimRight(line, "\r\n")))
			}
		}
	})
	return e, nil
}

func seconds(n int) time.Duration { return time.Duration(max(n, 1)) * time.Second }

// kotaDBIndexed is KotaDB with an index, that yes or a person let it make when there
// was none.
func (c *codeEngines) kotaDBIndexed(ctx context.Context, e *mcp.Engine, pl place, yes bool) (codeEngine, error) {
	s, err := e.Status(ctx)
	if err != nil {
		return nil, kotaError(err)
	}
	if !s.Indexed {
		if err := c.mayIndex(ctx, yes, pl); err != nil {
			return nil, err
		}
		if err := c.indexKotaDB(ctx, e); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// indexKotaDB has KotaDB index the project. How far it is it does not tell.
func (c *codeEngines) indexKotaDB(ctx context.Context, e *mcp.Engine) error {
	if c.run.env.ErrTerminal {
		fmt.Fprintln(c.run.env.Err, "pictx: KotaDB indexes the project, which takes a minute in a large one")
	}
	return kotaError(e.Index(ctx))
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

// guardCommand runs the process between this one and KotaDB's server.
func guardCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "guard -- COMMAND...",
		Short:  "Run a server that ends with its client",
		Hidden: true,
		Args:   someArgs(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			if code := mcp.Guard(args, os.Stdin); code != 0 {
				return silent(code)
			}
			return nil
		},
	}
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

// kotaDBError gives the errors of KotaDB their hints. It returns nil for others.
func kotaDBError(err error) error {
	var missing *mcp.MissingError
	var late *mcp.TimeoutError
	var unsupported *kota.UnsupportedError
	switch {
	case errors.As(err, &missing):
		hint := "pictx config set kota.engine builtin"
		if filepath.Base(missing.Command[0]) == "bun" {
			hint = "npm install -g bun, or " + hint
		}
		return withHint(exitFailed, hint, err)
	case errors.As(err, new(*mcp.StartError)), errors.As(err, new(*mcp.StoppedError)):
		return withHint(exitFailed, "pictx config set kota.engine builtin", err)
	case errors.As(err, &late) && late.Tool == mcp.IndexTool:
		return withHint(exitFailed, fmt.Sprintf("pictx config set kota.kotadb.index_seconds %d", 2*max(1, int(late.Limit.Seconds()))), err)
	case errors.As(err, &late):
		return withHint(exitFailed, fmt.Sprintf("pictx config set kota.kotadb.query_seconds %d", 2*max(1, int(late.Limit.Seconds()))), err)
	case errors.As(err, &unsupported):
		return withHint(exitUsage, "pictx kota "+unsupported.Verb+" --engine builtin", err)
	case errors.Is(err, kota.ErrBusy):
		return withHint(exitBusy, "pictx kota status --engine builtin", err)
	}
	return nil
}

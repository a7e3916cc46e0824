package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/project"
	"github.com/coctostan/pictx/sqlite"
)

func (a *app) storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "store",
		GroupID: groupCare,
		Short:   "Look after the project's store",
		Long:    "The store is one database file for each project. pictx help storage says what is\nin it and what can be made again.",
		Example: "  pictx store path\n  pictx store migrate",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range []*cobra.Command{a.storePath(), a.storeMigrate(), a.storeAdopt()} {
		cmd.AddCommand(c)
	}
	return cmd
}

func (a *app) storePath() *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print the store's file",
		Long:    "Prints the file of this project's store, whether it exists or not.",
		Example: "  ls -l $(pictx store path)",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			pl, err := a.place()
			if err != nil {
				return err
			}
			a.out.printf("%s\n", pl.StorePath(pl.agentDir))
			return nil
		},
	}
}

func (a *app) storeMigrate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the store up to this version",
		Long: `Brings the store's tables up to this version of pictx, and indexes what a build
without full-text search left. Any command that writes does it too; hooks never
do. The old database is kept beside a new one, which pictx import fills from the
session files; what only the old one has is named.`,
		Example:     "  pictx store migrate",
		Annotations: exits("10 11 12"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runMigrate(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runMigrate(ctx context.Context) error {
	pl, err := a.place()
	if err != nil {
		return err
	}
	if _, err := os.Stat(pl.StorePath(pl.agentDir)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("migrate store: %w", sqlite.ErrNoStore)
	}
	st, _, err := a.store(ctx, sqlite.Write)
	if err != nil {
		return err
	}
	n, err := a.indexAll(ctx, st)
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	v := struct {
		Schema  int `json:"schema"`
		Indexed int `json:"indexed"`
	}{sqlite.SchemaVersion(), n}
	return a.out.emit(v, func(w *out) {
		w.printf("the store is at schema %d", v.Schema)
		if n > 0 {
			w.printf(", %s indexed", count(n, "text"))
		}
		w.printf("\n")
	})
}

// openStore opens a store. When a store of an older schema is opened to write, it is set
// aside first, and what only it has is said.
func (a *app) openStore(ctx context.Context, path string, mode sqlite.Mode) (*sqlite.Store, error) {
	st, err := sqlite.Open(ctx, path, mode, a.env.Now)
	if mode != sqlite.Write || !errors.Is(err, sqlite.ErrOlder) {
		return st, err
	}
	old, err := sqlite.SetAside(ctx, path, a.env.Now)
	if err != nil {
		return nil, err
	}
	if old != nil {
		a.warnAside(old)
	}
	return sqlite.Open(ctx, path, mode, a.env.Now)
}

// warnAside says where a store of an older schema is now, and what only it has.
func (a *app) warnAside(old *sqlite.Aside) {
	fmt.Fprintf(a.env.Err, "pictx: warning: the store was made by an older pictx (schema %d of %d): it is kept as %s, and a new one begun\n",
		old.Schema, sqlite.SchemaVersion(), printable(old.Path))
	var only []string
	for _, c := range []struct {
		n           int
		noun, after string
	}{
		{old.Summaries, "summary", ""},
		{old.Objects, "object", ""},
		{old.Versions, "version", " of objects and files"},
		{old.Marks, "pruned result", ""},
		{old.Pins, "pin", ""},
		{old.Purged, "purged text", ", to be purged again after the import"},
		{old.Sessions, "session", " whose file is gone"},
	} {
		if c.n > 0 {
			only = append(only, count(c.n, c.noun)+c.after)
		}
	}
	if len(only) > 0 {
		fmt.Fprintf(a.env.Err, "pictx: warning: only the old one has %s\n", strings.Join(only, "; "))
	}
	fmt.Fprintf(a.env.Err, "hint: pictx import\n")
}

// indexAll completes the indexes and returns how many texts the one of words
// lacked.
func (a *app) indexAll(ctx context.Context, st *sqlite.Store) (int, error) {
	n, err := st.CatchUp(ctx)
	if err != nil {
		return n, err
	}
	lacking, err := st.Underived(ctx)
	if err != nil {
		return n, err
	}
	bar := a.progressOf("indexing parts of words", int64(lacking), func(n int64) string { return thousands(n) })
	defer bar.end()
	_, err = st.Derive(ctx, func() bool {
		if left, err := st.Underived(ctx); err == nil {
			bar.to(int64(lacking - left))
		}
		return ctx.Err() != nil
	})
	return n, errors.Join(err, ctx.Err())
}

func (a *app) storeAdopt() *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "adopt OLD",
		Short: "Take over the store of a project that was moved",
		Long: `A store belongs to a directory: a project that was moved or renamed begins with
an empty one. adopt gives this project the store of the directory OLD, or the
store with the key OLD. A store this project has already is kept beside it.`,
		Example:     "  pictx store adopt ~/old/place/of/shop",
		Annotations: exits("5 10 11 12"),
		Args:        someArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runAdopt(cmd.Context(), args[0], yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) runAdopt(ctx context.Context, old string, yes bool) error {
	pl, err := a.place()
	if err != nil {
		return err
	}
	from, err := a.oldStore(pl, old)
	if err != nil {
		return err
	}
	to := pl.StorePath(pl.agentDir)
	if from == to {
		return usageError("pictx store adopt OLD", "adopt store: it is this project's own")
	}
	detail := fmt.Sprintf("%s becomes %s.", from, to)
	if err := a.confirm(ctx, yes, "Adopt the store of "+old+"?", detail); err != nil {
		return err
	}
	if err := sqlite.Move(ctx, from, to, a.env.Now); errors.Is(err, sqlite.ErrOlder) {
		return withHint(exitDamaged, "pictx import", err) // it would be set aside, and nothing be adopted
	} else if err != nil {
		return err
	}
	st, _, err := a.store(ctx, sqlite.Write)
	if err != nil {
		return err
	}
	err = errors.Join(st.SeenFrom(ctx, pl.Key, pl.Root), st.Close())
	if err == nil {
		a.out.printf("adopted the store of %s\n", old)
	}
	return err
}

// oldStore finds the store that OLD names: a key, or a directory.
func (a *app) oldStore(pl place, old string) (string, error) {
	if storeKey(old) {
		path := project.StorePath(pl.agentDir, old)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	p, err := project.Find(a.path(old), pl.agentDir)
	if err != nil {
		return "", err
	}
	for _, try := range []string{p.StorePath(pl.agentDir), project.PathKeyStore(pl.agentDir, a.path(old))} {
		if _, err := os.Stat(try); err == nil {
			return try, nil
		}
	}
	return "", withHint(exitNoProject, "ls "+filepath.Join(pl.agentDir, "pictx"), fmt.Errorf("adopt store of %s: there is none", old))
}

// storeKey reports whether s can be the key of a store.
func storeKey(s string) bool { return regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(s) }

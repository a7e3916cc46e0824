package kota

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/mcp"
	"github.com/coctostan/pictx/workspace"
)

// indexResult is the result of indexing.
type indexResult struct {
	kota.Status
	Added   int   `json:"added"`
	Removed int   `json:"removed"`
	Updated int   `json:"updated"`
	Written bool  `json:"written"`
	Millis  int64 `json:"ms"`
}

func (k codeCommands) index() *cobra.Command {
	var yes, fresh bool
	cmd := cli.Command("index", "Build or update the code index", "5 130", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return k.runIndex(ctx, yes, fresh)
	})
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&fresh, "fresh", false, "read every file, whatever the index says")
	return k.run.JSONFlag(cmd)
}

func (k codeCommands) runIndex(ctx context.Context, yes, fresh bool) error {
	code, pl, err := k.settings()
	if err != nil {
		return err
	}
	began := k.run.Env.Now()
	e, err := k.builtin(ctx, pl, func() error {
		defer func() { began = k.run.Env.Now() }() // a person may take a while
		return k.mayIndex(ctx, yes || !k.run.Interactive(), pl)
	}, fresh)
	if err != nil {
		return err
	}
	engine := kota.Engine(e)
	if code.Engine == config.EngineKotaDB {
		db := k.kotaDB(code.KotaDB, pl)
		if err := k.indexKotaDB(ctx, db); err != nil {
			return err
		}
		engine = db.Over(e)
	}
	took := k.run.Env.Now().Sub(began).Milliseconds()
	s, err := engine.Status(ctx)
	if err != nil {
		return err
	}
	v := indexResult{
		Status: s, Added: e.Change.Added, Removed: e.Change.Removed, Updated: e.Change.Updated,
		Written: e.Change.Written, Millis: took,
	}
	return k.run.Out.Emit(v, func(w *cli.Out) {
		n := func(n int) string { return text.Thousands(int64(n)) }
		w.Printf("%s: %s added, %s removed, %s changed, in %s ms\n", text.Count(v.Files, "file"), n(v.Added), n(v.Removed), n(v.Updated), text.Thousands(v.Millis))
		w.Printf("%s", v.Status.Brief())
	})
}

func (k codeCommands) status() *cobra.Command {
	cmd := cli.Command("status", "Show the state of the index", "130", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return k.runStatus(ctx)
	})
	return k.run.JSONFlag(cmd)
}

func (k codeCommands) runStatus(ctx context.Context) error {
	code, pl, err := k.settings()
	if err != nil {
		return err
	}
	s := kota.Status{Engine: "builtin", Root: pl.Root, Index: pl.IndexFile(), Skipped: []kota.Count{}}
	if index.Exists(s.Index) {
		builtin, err := k.builtin(ctx, pl, nil, false)
		if err != nil {
			return err
		}
		e := kota.Engine(builtin)
		if code.Engine == config.EngineKotaDB {
			e = k.kotaDB(code.KotaDB, pl).Over(builtin)
		}
		if s, err = e.Status(ctx); err != nil {
			return workspace.KotaError(err)
		}
	}
	return k.run.Out.Emit(s, func(w *cli.Out) {
		if !s.Indexed {
			w.Printf("not indexed: %s\n", text.Printable(s.Root))
			fmt.Fprint(k.run.Env.Err, "hint: pictx kota index\n")
			return
		}
		w.Printf("indexed: %s in %s\n", text.Count(s.Files, "file"), text.Printable(s.Root))
		w.Printf("%s", s.Report())
	})
}

// settings returns the engine's settings, with --engine applied.
func (k codeCommands) settings() (config.Code, workspace.Project, error) {
	set, pl, err := k.run.Resolved()
	if err != nil {
		return config.Code{}, pl, err
	}
	code := set.Config.Kota
	if *k.chosen != "" {
		code.Engine = config.Engine(*k.chosen)
	}
	return code, pl, nil
}

// open opens the chosen engine with an up-to-date index. yes, or a person, must allow the first
// index, and what indexes asks and is told how.
func (k codeCommands) open(ctx context.Context, yes bool) (kota.Engine, error) {
	code, pl, err := k.settings()
	if err != nil {
		return nil, err
	}
	builtin, err := k.builtin(ctx, pl, func() error { return k.mayIndex(ctx, yes, pl) }, false)
	if err != nil || code.Engine != config.EngineKotaDB {
		return builtin, err
	}
	db := k.kotaDB(code.KotaDB, pl)
	if !mcp.Exists(pl.KotaDBDir()) {
		if err := k.mayIndex(ctx, yes, pl); err != nil {
			return nil, err
		}
		if err := k.indexKotaDB(ctx, db); err != nil {
			return nil, err
		}
	}
	return db.Over(builtin), nil
}

// builtin opens the built-in engine, shows progress and prints its notes. allowed is asked before
// a large project is indexed for the first time. fresh reads every file.
func (k codeCommands) builtin(ctx context.Context, pl workspace.Project, allowed func() error, fresh bool) (*index.Engine, error) {
	o := pl.IndexOptions()
	if !index.Exists(o.File) {
		costly, err := pl.CodeFiles().Costly(ctx)
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", pl.Root, err)
		}
		if costly {
			if err := allowed(); err != nil {
				return nil, err
			}
		}
	}
	p := k.run.ProgressOf("index", 0, func(n int64) string { return text.Thousands(n) + " files" })
	o.Create, o.Fresh, o.Progress = true, fresh, func(done, total int) {
		p.Total = int64(total)
		p.To(int64(done))
	}
	e, err := index.Open(ctx, o)
	p.End()
	if err != nil {
		return nil, workspace.KotaError(err)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(k.run.Env.Err, "pictx: %s\n", text.Printable(n))
	}
	return e, nil
}

// mayIndex returns an error unless the first index may be made: --yes allows it, or a person.
func (k codeCommands) mayIndex(ctx context.Context, yes bool, pl workspace.Project) error {
	switch {
	case yes:
		return nil
	case k.run.Interactive():
		return k.run.ConfirmOr(ctx, true, "Index "+text.Printable(pl.Root)+"?",
			"Reads every TypeScript, JavaScript and Go file. The index is kept outside the project\nand keeps itself up to date.")
	}
	hint := "pictx kota index"
	if *k.chosen != "" {
		hint += " --engine " + *k.chosen
	}
	return exit.WithHint(exit.NoProject, hint, fmt.Errorf("ask about %s: %w", pl.Root, kota.ErrNotIndexed))
}

// kotaDB returns KotaDB for the project, until the program ends.
func (k codeCommands) kotaDB(set config.KotaDB, pl workspace.Project) *mcp.Server {
	db := k.run.KotaDB(set, pl)
	k.run.AtEnd = append(k.run.AtEnd, db.Restart)
	return db
}

// indexKotaDB has KotaDB index the project. KotaDB reports no progress.
func (k codeCommands) indexKotaDB(ctx context.Context, db *mcp.Server) error {
	if k.run.Env.ErrTerminal {
		fmt.Fprintln(k.run.Env.Err, "pictx: KotaDB indexes the project, which takes a minute in a large one")
	}
	return workspace.KotaError(db.Index(ctx))
}

// tries lists the paths that a file name may mean.
func (k codeCommands) tries(name string) []string {
	dir := k.run.Env.Dir
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

// guardCommand returns the hidden command that runs mcp.Guard.
func guardCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "guard -- COMMAND...",
		Short:  "Run a server that ends with its client",
		Hidden: true,
		Args:   cli.SomeArgs(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			if code := mcp.Guard(args, os.Stdin); code != 0 {
				return exit.Silent(code)
			}
			return nil
		},
	}
}

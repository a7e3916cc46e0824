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

// codeEngines opens engines for the project of a command.
type codeEngines struct {
	run  *cli.Run
	name string // --engine
}

// flags declares the flags that choose the engine.
func (c *codeEngines) flags(cmd *cobra.Command) {
	words := []string{string(config.EngineBuiltin), string(config.EngineKotaDB)}
	cmd.PersistentFlags().StringVar(&c.name, "engine", "", "which `engine` answers: builtin, kotadb (default: the setting kota.engine)")
	c.run.CompleteWords(cmd, "engine", words)
}

// settings returns the engine's settings, with --engine applied.
func (c *codeEngines) settings() (config.Code, workspace.Project, error) {
	set, pl, err := c.run.Resolved()
	if err != nil {
		return config.Code{}, pl, err
	}
	code := set.Config.Kota
	switch name := config.Engine(c.name); name {
	case "":
	case config.EngineBuiltin, config.EngineKotaDB:
		code.Engine = name
	default:
		return code, pl, exit.UsageError("pictx kota --help", "unknown --engine %q: want %s, %s", name, config.EngineBuiltin, config.EngineKotaDB)
	}
	return code, pl, nil
}

// open opens the chosen engine with an up-to-date index. yes, or a person, must allow the first
// index.
func (c *codeEngines) open(ctx context.Context, yes bool) (kota.Engine, error) {
	code, pl, err := c.settings()
	if err != nil {
		return nil, err
	}
	builtin, err := c.builtin(ctx, pl, yes)
	if err != nil || code.Engine != config.EngineKotaDB {
		return builtin, err
	}
	db := c.kotaDB(code.KotaDB, pl)
	if !mcp.Exists(pl.KotaDBDir()) {
		if err := c.mayIndex(ctx, yes, pl); err != nil {
			return nil, err
		}
		if err := c.indexKotaDB(ctx, db); err != nil {
			return nil, err
		}
	}
	return db.Over(builtin), nil
}

// builtin opens the built-in engine.
func (c *codeEngines) builtin(ctx context.Context, pl workspace.Project, yes bool) (*index.Engine, error) {
	o := pl.IndexOptions()
	if !index.Exists(o.File) {
		costly, err := pl.CodeFiles().Costly(ctx)
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", pl.Root, err)
		}
		if costly {
			if err := c.mayIndex(ctx, yes, pl); err != nil {
				return nil, err
			}
		}
		o.Create = true
	}
	return c.openBuiltin(ctx, o)
}

// openBuiltin opens an index, shows progress and prints its notes.
func (c *codeEngines) openBuiltin(ctx context.Context, o index.Options) (*index.Engine, error) {
	p := c.run.ProgressOf("index", 0, func(n int64) string { return text.Thousands(n) + " files" })
	o.Progress = func(done, total int) {
		p.Total = int64(total)
		p.To(int64(done))
	}
	e, err := index.Open(ctx, o)
	p.End()
	if err != nil {
		return nil, workspace.KotaError(err)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(c.run.Env.Err, "pictx: %s\n", text.Printable(n))
	}
	return e, nil
}

// mayIndex returns an error unless the first index may be made.
func (c *codeEngines) mayIndex(ctx context.Context, yes bool, pl workspace.Project) error {
	if !yes && !c.run.Interactive() {
		hint := "pictx kota index"
		if c.name != "" {
			hint += " --engine " + c.name
		}
		return exit.WithHint(exit.NoProject, hint, fmt.Errorf("ask about %s: %w", pl.Root, kota.ErrNotIndexed))
	}
	return c.confirm(ctx, yes, pl.Root)
}

// confirm asks before a project is indexed for the first time.
func (c *codeEngines) confirm(ctx context.Context, yes bool, root string) error {
	if yes || !c.run.Interactive() {
		return nil
	}
	return c.run.ConfirmOr(ctx, true, "Index "+text.Printable(root)+"?",
		"Reads every TypeScript, JavaScript and Go file. The index is kept outside the project\nand keeps itself up to date.")
}

// kotaDB returns KotaDB for the project, until the program ends.
func (c *codeEngines) kotaDB(set config.KotaDB, pl workspace.Project) *mcp.Server {
	db := c.run.KotaDB(set, pl)
	c.run.AtEnd = append(c.run.AtEnd, db.Restart)
	return db
}

// indexKotaDB has KotaDB index the project. KotaDB reports no progress.
func (c *codeEngines) indexKotaDB(ctx context.Context, db *mcp.Server) error {
	if c.run.Env.ErrTerminal {
		fmt.Fprintln(c.run.Env.Err, "pictx: KotaDB indexes the project, which takes a minute in a large one")
	}
	return workspace.KotaError(db.Index(ctx))
}

// tries lists the paths that a file name may mean.
func tries(a *cli.Run, name string) []string {
	dir := a.Env.Dir
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

package kota

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/workspace"
)

// indexResult is the result of indexing.
type indexResult struct {
	kota.Status
	Added   kota.Number `json:"added"`
	Removed kota.Number `json:"removed"`
	Updated kota.Number `json:"updated"`
	Written bool        `json:"written"`
	Millis  int64       `json:"ms"`
}

func (k codeCommands) index() *cobra.Command {
	var yes, fresh bool
	cmd := &cobra.Command{
		Use:         "index",
		Short:       "Build or update the code index",
		Annotations: cli.Exits("5 130"),
		Args:        cli.NoArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return k.runIndex(cmd.Context(), yes, fresh) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&fresh, "fresh", false, "read every file, whatever the index says")
	k.run.JSONFlag(cmd)
	return cmd
}

func (k codeCommands) runIndex(ctx context.Context, yes, fresh bool) error {
	code, pl, err := k.engines.settings()
	if err != nil {
		return err
	}
	o := pl.IndexOptions()
	if !index.Exists(o.File) {
		costly, err := pl.CodeFiles().Costly(ctx)
		if err != nil {
			return fmt.Errorf("index %s: %w", pl.Root, err)
		}
		if err := k.engines.confirm(ctx, yes || !costly, pl.Root); err != nil {
			return err
		}
	}
	o.Create, o.Fresh = true, fresh
	began := k.run.Env.Now()
	e, err := k.engines.openBuiltin(ctx, o)
	if err != nil {
		return err
	}
	engine := kota.Engine(e)
	if code.Engine == config.EngineKotaDB {
		db := k.engines.kotaDB(code.KotaDB, pl)
		if err := k.engines.indexKotaDB(ctx, db); err != nil {
			return err
		}
		engine = db.Over(e)
	}
	took := k.run.Env.Now().Sub(began).Milliseconds()
	s, err := engine.Status(ctx)
	if err != nil {
		return err
	}
	return k.printIndexed(indexResult{
		Status: s, Added: kota.Number(e.Change.Added), Removed: kota.Number(e.Change.Removed), Updated: kota.Number(e.Change.Updated),
		Written: e.Change.Written, Millis: took,
	})
}

// printIndexed prints the result of indexing.
func (k codeCommands) printIndexed(v indexResult) error {
	return k.run.Out.Emit(v, func(w *cli.Out) {
		w.Printf("%s: %s added, %s removed, %s changed, in %s ms\n", v.Files.Of("file"), v.Added.Grouped(), v.Removed.Grouped(), v.Updated.Grouped(), text.Thousands(v.Millis))
		w.Printf("%s", v.Status.Brief())
	})
}

func (k codeCommands) status() *cobra.Command {
	cmd := &cobra.Command{
		Use:         "status",
		Short:       "Show the state of the index",
		Annotations: cli.Exits("130"),
		Args:        cli.NoArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return k.runStatus(cmd.Context()) },
	}
	k.run.JSONFlag(cmd)
	return cmd
}

func (k codeCommands) runStatus(ctx context.Context) error {
	code, pl, err := k.engines.settings()
	if err != nil {
		return err
	}
	o := pl.IndexOptions()
	s := kota.Status{Engine: "builtin", Root: pl.Root, Index: o.File, Skipped: []kota.Count{}}
	if index.Exists(o.File) {
		builtin, err := k.engines.openBuiltin(ctx, o)
		if err != nil {
			return err
		}
		e := kota.Engine(builtin)
		if code.Engine == config.EngineKotaDB {
			e = k.engines.kotaDB(code.KotaDB, pl).Over(builtin)
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
		w.Printf("indexed: %s in %s\n", s.Files.Of("file"), text.Printable(s.Root))
		w.Printf("%s", s.Report())
	})
}

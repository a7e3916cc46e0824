package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// codeEngine is an engine that knows its files by the names people give them.
type codeEngine interface {
	kota.Engine
	Find(names ...string) (string, error)
	Files() []string
}

// engineFlags gives every question the choice of its engine.
func (a *app) engineFlags(cmd *cobra.Command) {
	words := []string{string(config.EngineBuiltin), string(config.EngineKotaDB)}
	f := cmd.PersistentFlags()
	f.StringVar(&a.engineName, "engine", "", "which `engine` answers: "+strings.Join(words, ", ")+" (default: the setting kota.engine)")
	f.BoolVar(&a.verbose, "verbose", false, "print the last of what KotaDB prints beside its answers")
	a.completeWords(cmd, "engine", words)
}

// engineSettings are the settings of the engine, with the one that a flag names.
func (a *app) engineSettings() (config.Code, place, error) {
	set, pl, err := a.resolved()
	if err != nil {
		return config.Code{}, pl, err
	}
	code := set.Config.Kota
	switch name := config.Engine(a.engineName); name {
	case "":
	case config.EngineBuiltin, config.EngineKotaDB:
		code.Engine = name
	default:
		return code, pl, usageError("pictx kota --help", "unknown --engine %q: want %s, %s", name, config.EngineBuiltin, config.EngineKotaDB)
	}
	return code, pl, nil
}

// engine is what answers: with an index that is up to date, or one that yes or a
// person let it make.
func (a *app) engine(ctx context.Context, yes bool) (codeEngine, error) {
	code, pl, err := a.engineSettings()
	if err != nil {
		return nil, err
	}
	if code.Engine == config.EngineKotaDB {
		e, err := a.kotaDB(code.KotaDB, pl)
		if err == nil {
			return a.kotaDBIndexed(ctx, e, pl, yes)
		}
		if !errors.Is(err, kota.ErrBusy) {
			return nil, err
		}
		fmt.Fprintln(a.env.Err, "pictx: KotaDB is busy with another process: the built-in engine answers")
	}
	return a.builtin(ctx, pl, yes)
}

// builtin is the engine in the program.
func (a *app) builtin(ctx context.Context, pl place, yes bool) (codeEngine, error) {
	o := a.kotaOptions(pl)
	if !index.Exists(o.File) {
		if err := a.mayIndex(ctx, yes, pl); err != nil {
			return nil, err
		}
		o.Create = true
	}
	return a.openEngine(ctx, o)
}

// mayIndex is an error unless the first index may be made.
func (a *app) mayIndex(ctx context.Context, yes bool, pl place) error {
	asked := a.env.InTerminal && a.env.ErrTerminal && !a.env.agent()
	if !yes && !asked {
		return withHint(exitNoProject, "pictx kota index"+a.engineWord(), fmt.Errorf("ask about %s: %w", pl.Root, kota.ErrNotIndexed))
	}
	return a.confirmIndex(ctx, yes, pl.Root)
}

// engineWord is the flag that names the engine again, when one did.
func (a *app) engineWord() string {
	if a.engineName == "" {
		return ""
	}
	return " --engine " + a.engineName
}

// kotaDBDir is where KotaDB's database of this project's work tree is.
func (pl place) kotaDBDir() string { return strings.TrimSuffix(pl.indexFile(), ".kota") + ".kotadb" }

// kotaDB takes the project for KotaDB. It is given back when the program ends.
func (a *app) kotaDB(set config.KotaDB, pl place) (*mcp.Engine, error) {
	e, err := mcp.Open(mcp.Options{
		Root: pl.Root, Dir: pl.kotaDBDir(), Git: pl.Git != "", Languages: languages(),
		Command: set.Command, Guard: []string{a.env.Self, "kota", "guard", "--"},
		Environ: a.env.Environ, Version: a.env.Version,
		Start: seconds(set.StartSeconds), Query: seconds(set.QuerySeconds), Index: seconds(set.IndexSeconds),
	})
	if err != nil {
		return nil, kotaError(err)
	}
	a.atEnd = append(a.atEnd, func() {
		e.Close()
		if body := strings.TrimSpace(e.Noise()); a.verbose && body != "" {
			for line := range strings.Lines(body) {
				fmt.Fprintf(a.env.Err, "kotadb: %s\n", text.Printable(strings.TrimRight(line, "\r\n")))
			}
		}
	})
	return e, nil
}

func seconds(n int) time.Duration { return time.Duration(max(n, 1)) * time.Second }

// kotaDBIndexed is KotaDB with an index, that yes or a person let it make when there
// was none.
func (a *app) kotaDBIndexed(ctx context.Context, e *mcp.Engine, pl place, yes bool) (codeEngine, error) {
	s, err := e.Status(ctx)
	if err != nil {
		return nil, kotaError(err)
	}
	if !s.Indexed {
		if err := a.mayIndex(ctx, yes, pl); err != nil {
			return nil, err
		}
		if err := a.indexKotaDB(ctx, e); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// indexKotaDB has KotaDB index the project. How far it is it does not tell.
func (a *app) indexKotaDB(ctx context.Context, e *mcp.Engine) error {
	if a.env.ErrTerminal {
		fmt.Fprintln(a.env.Err, "pictx: KotaDB indexes the project, which takes a minute in a large one")
	}
	return kotaError(e.Index(ctx))
}

// kotaGuard is the process between this one and KotaDB's server.
func (a *app) kotaGuard() *cobra.Command {
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

// kotaDBError gives the errors of KotaDB their hints, nil when it is none of them.
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

package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/mcp"
)

// kotaIndexJSON is what indexing did.
type kotaIndexJSON struct {
	kota.Status
	Added   kota.Number `json:"added"`
	Removed kota.Number `json:"removed"`
	Updated kota.Number `json:"updated"`
	Written bool        `json:"written"`
	Millis  int64       `json:"ms"`
}

func (a *app) kotaIndex() *cobra.Command {
	var yes, fresh bool
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Index the project, or bring its index up to date",
		Long: `Reads the project's TypeScript and JavaScript files, and those of Vue, Svelte and
Astro: in a git work tree those that git tracks or would, else those that no
.gitignore excludes. The first time it asks, on a terminal. After that every
question brings the index up to date by itself.`,
		Example: `  pictx kota index
  pictx kota index --yes --json`,
		Annotations: exits("5 130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runKotaIndex(cmd.Context(), yes, fresh) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&fresh, "fresh", false, "read every file, whatever the index says")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runKotaIndex(ctx context.Context, yes, fresh bool) error {
	code, pl, err := a.engineSettings()
	if err != nil {
		return err
	}
	if code.Engine == config.EngineKotaDB {
		return a.runKotaDBIndex(ctx, code.KotaDB, pl, yes)
	}
	o := a.kotaOptions(pl)
	if !index.Exists(o.File) {
		if err := a.confirmIndex(ctx, yes, pl.Root); err != nil {
			return err
		}
	}
	o.Create, o.Fresh = true, fresh
	began := a.env.Now()
	e, err := a.openEngine(ctx, o)
	if err != nil {
		return err
	}
	took := a.env.Now().Sub(began).Milliseconds()
	s, err := e.Status(ctx)
	if err != nil {
		return err
	}
	return a.printIndexed(kotaIndexJSON{
		Status: s, Added: kota.Number(e.Change.Added), Removed: kota.Number(e.Change.Removed), Updated: kota.Number(e.Change.Updated),
		Written: e.Change.Written, Millis: took,
	})
}

// runKotaDBIndex has KotaDB index the project, always from nothing.
func (a *app) runKotaDBIndex(ctx context.Context, set config.KotaDB, pl place, yes bool) error {
	if !mcp.Exists(pl.kotaDBDir()) {
		if err := a.confirmIndex(ctx, yes, pl.Root); err != nil {
			return err
		}
	}
	e, err := a.kotaDB(set, pl)
	if err != nil {
		return err
	}
	began := a.env.Now()
	if err := a.indexKotaDB(ctx, e); err != nil {
		return err
	}
	took := a.env.Now().Sub(began).Milliseconds()
	s, err := e.Status(ctx)
	if err != nil {
		return kotaError(err)
	}
	return a.printIndexed(kotaIndexJSON{Status: s, Added: kota.Unknown, Removed: kota.Unknown, Updated: kota.Unknown, Written: true, Millis: took})
}

// printIndexed prints what indexing did.
func (a *app) printIndexed(v kotaIndexJSON) error {
	return a.out.emit(v, func(w *out) {
		w.printf("%s: %s added, %s removed, %s changed, in %s ms\n", known(v.Files, "file"), grouped(v.Added), grouped(v.Removed), grouped(v.Updated), text.Thousands(v.Millis))
		printKotaStatus(w, v.Status)
	})
}

func (a *app) kotaStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use:         "status",
		Short:       "Print what the index holds",
		Long:        "Prints what the index holds, what was skipped and why, and which imports were\nnot found. Without an index it says so.",
		Example:     "  pictx kota status",
		Annotations: exits("130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runKotaStatus(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runKotaStatus(ctx context.Context) error {
	code, pl, err := a.engineSettings()
	if err != nil {
		return err
	}
	if code.Engine == config.EngineKotaDB {
		e, err := a.kotaDB(code.KotaDB, pl)
		if err != nil {
			return err
		}
		s, err := e.Status(ctx)
		if err != nil {
			return kotaError(err)
		}
		return a.printStatus(s)
	}
	o := a.kotaOptions(pl)
	s := kota.Status{Engine: "builtin", Root: pl.Root, Index: o.File, Skipped: []kota.Count{}}
	if index.Exists(o.File) {
		e, err := a.openEngine(ctx, o)
		if err != nil {
			return err
		}
		if s, err = e.Status(ctx); err != nil {
			return err
		}
	}
	return a.printStatus(s)
}

// printStatus prints what an index holds.
func (a *app) printStatus(s kota.Status) error {
	return a.out.emit(s, func(w *out) {
		if !s.Indexed {
			w.printf("not indexed: %s\n", text.Printable(s.Root))
			return
		}
		w.printf("indexed: %s in %s\n", known(s.Files, "file"), text.Printable(s.Root))
		printKotaStatus(w, s)
	})
}

// printKotaStatus prints the numbers of an index. What the engine does not know it
// says not to know.
func printKotaStatus(w *out, s kota.Status) {
	w.printf("%s, %s (%s inferred), %s of packages\n", known(s.Symbols, "symbol"), known(s.Edges, "edge"), grouped(s.Inferred), known(s.External, "import"))
	w.printf("not found: %s; computed: %s\n", known(s.Unresolved, "import"), known(s.Computed, "import"))
	if s.Bare > 0 || s.Partial > 0 {
		w.printf("%s with nothing but their imports, %s with syntax errors\n", known(s.Bare, "file"), known(s.Partial, "file"))
	}
	for _, c := range s.Skipped {
		w.printf("skipped, %s: %s\n", c.Name, text.Count(c.N, "file"))
	}
	for _, n := range s.Notes {
		w.printf("note: %s\n", text.TerminalLine(n))
	}
	w.printf("index: %s, %s\n", text.Printable(s.Index), text.Bytes(s.Bytes))
}

// grouped is a number for a person.
func grouped(n kota.Number) string {
	if !n.Known() {
		return n.String()
	}
	return text.Thousands(int64(n))
}

// known counts a noun, unless its number is not known.
func known(n kota.Number, noun string) string {
	if !n.Known() {
		return "? " + noun + "s"
	}
	return text.Count(int(n), noun)
}

package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// kotaIndexJSON is what indexing did.
type kotaIndexJSON struct {
	kota.Status
	Added   int   `json:"added"`
	Removed int   `json:"removed"`
	Updated int   `json:"updated"`
	Written bool  `json:"written"`
	Millis  int64 `json:"ms"`
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
	pl, err := a.place()
	if err != nil {
		return err
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
	v := kotaIndexJSON{Status: s, Added: e.Change.Added, Removed: e.Change.Removed, Updated: e.Change.Updated, Written: e.Change.Written, Millis: took}
	return a.out.emit(v, func(w *out) {
		w.printf("%s: %s added, %s removed, %s changed, in %s ms\n", count(s.Files, "file"), thousands(int64(v.Added)), thousands(int64(v.Removed)), thousands(int64(v.Updated)), thousands(took))
		printKotaStatus(w, s)
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
	pl, err := a.place()
	if err != nil {
		return err
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
	return a.out.emit(s, func(w *out) {
		if !s.Indexed {
			w.printf("not indexed: %s\n", printable(s.Root))
			return
		}
		w.printf("indexed: %s in %s\n", count(s.Files, "file"), printable(s.Root))
		printKotaStatus(w, s)
	})
}

// printKotaStatus prints what an index holds.
func printKotaStatus(w *out, s kota.Status) {
	w.printf("%s, %s (%s inferred), %s of packages\n", count(s.Symbols, "symbol"), count(s.Edges, "edge"), thousands(int64(s.Inferred)), count(s.External, "import"))
	w.printf("not found: %s; computed: %s\n", count(s.Unresolved, "import"), count(s.Computed, "import"))
	if s.Bare+s.Partial > 0 {
		w.printf("%s with nothing but their imports, %s with syntax errors\n", count(s.Bare, "file"), count(s.Partial, "file"))
	}
	for _, c := range s.Skipped {
		w.printf("skipped, %s: %s\n", c.Name, count(c.N, "file"))
	}
	for _, n := range s.Notes {
		w.printf("note: %s\n", oneLine(n))
	}
	w.printf("index: %s, %s\n", printable(s.Index), bytesText(s.Bytes))
}

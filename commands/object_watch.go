package commands

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

type objectWatchOptions struct {
	once     bool
	interval time.Duration
}

func (a *app) objectWatch() *cobra.Command {
	var o objectWatchOptions
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Keep the objects of files up to date",
		Long: `Looks at the files that are objects, again and again until it is interrupted: what was
changed gets a version, true since the file was changed; what was moved within the
project keeps its id; what is gone is deleted. A file that looks as it did is not read.
--once looks once. Nothing depends on it: pi's hooks look at a file whenever they meet
it.`,
		Example:     "  pictx object watch\n  pictx object watch --once --json",
		Annotations: exits("10 11 12 130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runObjectWatch(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.once, "once", false, "look once")
	cmd.Flags().DurationVar(&o.interval, "interval", 2*time.Second, "look again after this `time`, at least 100ms")
	a.jsonFlag(cmd)
	return cmd
}

// watchJSON is a change that watch found.
type watchJSON struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Seen    string `json:"seen"`
	Version int    `json:"version"`
}

func (a *app) runObjectWatch(ctx context.Context, o objectWatchOptions) error {
	if o.interval < 100*time.Millisecond {
		return usageError("pictx object watch --interval 2s", "--interval %s is too short", o.interval)
	}
	st, err := a.existingStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	pl, err := a.place()
	if err != nil {
		return err
	}
	for {
		err := a.lookAtFiles(ctx, st, pl.Root)
		if ferr := a.out.Flush(); err == nil && ferr != nil {
			err = fmt.Errorf("write output: %w", ferr)
		}
		if err != nil || o.once {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(o.interval):
		}
	}
}

// lookAtFiles brings the files that are objects up to date with the disk, and prints
// what changed.
func (a *app) lookAtFiles(ctx context.Context, st *sqlite.Store, root string) error {
	before, err := knownFiles(ctx, st)
	if err != nil {
		return err
	}
	work := &capture.Capture{Store: object.Store{Writer: st, Finder: st, Versions: st, Journal: st}, Files: newProjectFiles(ctx, root), CWD: root}
	ids := make([]string, 0, len(before))
	for id := range before {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return nil
	}
	if n, err := work.Refresh(ctx, ids...); err != nil || n == 0 {
		return err
	}
	after, err := knownFiles(ctx, st)
	if err != nil {
		return err
	}
	for _, id := range ids {
		was, is := before[id], after[id]
		if was.Number == is.Number {
			continue
		}
		j := watchJSON{id, is.Doc.Label(is.Key), seenAs(&was, &is), is.Number}
		if err := a.out.emit(j, func(w *out) { w.printf("%s  %s  %s, version %d\n", j.ID, text.TerminalLine(j.Path), j.Seen, j.Version) }); err != nil {
			return err
		}
	}
	return nil
}

// knownFiles are the objects of files, by id.
func knownFiles(ctx context.Context, st *sqlite.Store) (map[string]object.Version, error) {
	all, err := st.FindObjects(ctx, object.Query{Terms: []object.Term{{Field: "type", Value: string(object.KindFile)}}})
	out := make(map[string]object.Version, len(all))
	for i := range all {
		out[all[i].ID] = all[i]
	}
	return out, err
}

// seenAs says in a word how a file changed.
func seenAs(was, is *object.Version) string {
	switch {
	case is.Doc.Deleted:
		return "deleted"
	case was.Doc.Label(was.Key) != is.Doc.Label(is.Key):
		return "moved"
	}
	return "changed"
}

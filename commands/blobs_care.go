package commands

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

func (a *app) blobsGC() *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove blobs that are too old or too many",
		Long: `Removes blobs that were not used for blobs.max_age_days, unless a session that
still exists names them, then those unused for longest until the rest takes no more
than blobs.max_bytes. The hooks do the same when a session starts, at most once an
hour. What a killed process left goes, too. --dry-run prints what would go.`,
		Example:     "  pictx blobs gc --dry-run\n  pictx blobs gc -c blobs.max_bytes=50MB",
		Annotations: exits("130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runBlobsGC(cmd.Context(), dry) },
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "remove nothing, print what would go")
	a.jsonFlag(cmd)
	return cmd
}

// removedJSON is a blob that goes.
type removedJSON struct {
	ID     string `json:"id"`
	Bytes  int64  `json:"bytes"`
	Stored int64  `json:"stored_bytes"`
	Used   string `json:"used"`
	Why    string `json:"why"`
}

// blobsGCJSON is what gc prints as JSON.
type blobsGCJSON struct {
	DryRun  bool          `json:"dry_run"`
	Removed []removedJSON `json:"removed"`
	Temps   int           `json:"temps"` // files that were left by killed processes
	Count   int           `json:"count"` // that stay
	Stored  int64         `json:"stored_bytes"`
}

func (a *app) runBlobsGC(ctx context.Context, dry bool) error {
	st, set, pl, err := a.blobs()
	if err != nil {
		return err
	}
	limits := hooks.BlobLimits(set)
	limits.DryRun, limits.Keep = dry, a.namedBlobs(ctx, st, pl.agentDir)
	rep, err := st.GC(ctx, limits)
	if err != nil {
		return err
	}
	v := blobsGCJSON{DryRun: dry, Removed: []removedJSON{}, Temps: rep.Temps, Count: rep.Count, Stored: rep.Bytes}
	for _, r := range rep.Removed {
		v.Removed = append(v.Removed, removedLine(r.Info, r.Why))
	}
	return a.out.emit(v, func(w *out) {
		verb := "removed"
		if dry {
			verb = "would remove"
		}
		v.text(w, verb)
		w.printf("%s, %s on disk\n", stayText(v.Count, dry), text.Bytes(v.Stored))
	})
}

func stayText(n int, dry bool) string {
	body := text.Count(n, "blob") + " stay"
	if n == 1 {
		body += "s"
	}
	if dry {
		body = text.Count(n, "blob") + " would stay"
	}
	return body
}

func removedLine(i blob.Info, why string) removedJSON {
	return removedJSON{i.ID, i.Bytes, i.Stored, text.KnownTime(i.Used.UnixMilli()), why}
}

// text lists what went.
func (v blobsGCJSON) text(w *out, verb string) {
	for _, r := range v.Removed {
		w.printf("%s %s, %s: %s\n", verb, blob.ShortID(r.ID), text.Bytes(r.Bytes), text.TerminalLine(r.Why))
	}
	if v.Temps > 0 {
		w.printf("%s %s that a killed process left\n", verb, text.Count(v.Temps, "file"))
	}
}

type purgeOptions struct {
	all, yes, dry bool
	older, match  string
}

func (a *app) blobsPurge() *cobra.Command {
	var o purgeOptions
	cmd := &cobra.Command{
		Use:   "purge [ID…]",
		Short: "Remove blobs for good, whoever names them",
		Long: `Removes the blobs with these ids, all of them, or those that --older-than and
--match both mean, and looks again whether their bytes are gone. It asks first. What
is remembered is the id, when and why, so that pictx expand can say so. The excerpts
in pi's session files stay: they are pi's.`,
		Example: `  pictx blobs purge 3f9a2c1b77ab
  pictx blobs purge --match 'BEGIN [A-Z ]*PRIVATE KEY' --dry-run
  pictx blobs purge --older-than 7d --yes`,
		Annotations:       exits("3 4 5 130"),
		Args:              someArgs(0, -1),
		ValidArgsFunction: a.blobWords,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runBlobsPurge(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "every blob")
	f.StringVar(&o.older, "older-than", "", "blobs not used since this `time`: a date, or a span such as 7d")
	f.StringVar(&o.match, "match", "", "blobs with a line that matches this `regex`, ignoring case")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.dry, "dry-run", false, "remove nothing, print what would go")
	a.jsonFlag(cmd)
	return cmd
}

// blobsPurgeJSON is what purge prints as JSON.
type blobsPurgeJSON struct {
	DryRun  bool          `json:"dry_run"`
	Removed []removedJSON `json:"removed"`
	Unread  []string      `json:"unread"` // ids of damaged blobs, which --match cannot look into
}

func (a *app) runBlobsPurge(ctx context.Context, o purgeOptions, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	st, _, _, err := a.blobs()
	if err != nil {
		return err
	}
	chosen, unread, err := a.chooseBlobs(ctx, st, o, args)
	if err != nil {
		return err
	}
	for _, id := range unread {
		fmt.Fprintf(a.env.Err, "pictx: warning: blob %s is damaged: --match cannot look into it\n", blob.ShortID(id))
	}
	v := blobsPurgeJSON{DryRun: o.dry, Removed: []removedJSON{}, Unread: append([]string{}, unread...)}
	if len(chosen) > 0 && !o.dry {
		if err := a.confirm(ctx, o.yes, "Purge "+text.Count(len(chosen), "blob")+"?", purgeDetail(chosen)); err != nil {
			return err
		}
		chosen, err = purgeBlobs(ctx, st, chosen)
	}
	for _, i := range chosen {
		v.Removed = append(v.Removed, removedLine(i, blob.Purged))
	}
	if err := errors.Join(a.out.emit(v, v.text), err); err != nil {
		return err
	}
	switch {
	case len(unread) > 0:
		return silent(exitPartly)
	case len(chosen) == 0:
		return withHint(exitNotFound, "pictx blobs list", errors.New("no blob is like that"))
	}
	return nil
}

func purgeBlobs(ctx context.Context, st *blob.Store, chosen []blob.Info) ([]blob.Info, error) {
	ids := make([]string, len(chosen))
	for i, c := range chosen {
		ids[i] = c.ID
	}
	return st.Purge(ctx, ids, blob.Purged)
}

// check refuses what does not say which blobs.
func (o purgeOptions) check(args []string) error {
	ways := 0
	for _, given := range []bool{len(args) > 0, o.all, o.older != "" || o.match != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return usageError("pictx blobs purge --older-than 7d", "purge blobs: want ids, or --all, or --older-than and --match")
	}
	return nil
}

// purgeDetail lists what a person is asked about.
func purgeDetail(chosen []blob.Info) string {
	const most = 10
	var b strings.Builder
	b.WriteString("This cannot be undone:")
	for n, i := range chosen {
		if n == most {
			fmt.Fprintf(&b, "\nand %s", text.Count(len(chosen)-most, "other"))
			break
		}
		fmt.Fprintf(&b, "\n%s (%s, used %s)", blob.ShortID(i.ID), text.Bytes(i.Bytes), text.LocalMinute(i.Used.UnixMilli()))
	}
	return b.String()
}

// chooseBlobs finds the blobs that are meant, and those that may be.
func (a *app) chooseBlobs(ctx context.Context, st *blob.Store, o purgeOptions, args []string) (chosen []blob.Info, unread []string, err error) {
	if len(args) > 0 {
		for _, arg := range args {
			i, err := st.Find(markerID([]string{arg}))
			if err != nil {
				return nil, nil, fmt.Errorf("purge blob %s: %w", arg, err)
			}
			chosen = append(chosen, i)
		}
		return chosen, nil, nil
	}
	wanted, err := a.blobFilter(st, o)
	if err != nil {
		return nil, nil, err
	}
	all, err := st.List()
	for _, i := range all {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		ok, err := wanted(i)
		switch {
		case errors.As(err, new(*blob.DamagedError)):
			unread = append(unread, i.ID)
		case err != nil && !errors.Is(err, blob.ErrNotFound):
			return nil, nil, err
		case ok:
			chosen = append(chosen, i)
		}
	}
	return chosen, unread, err
}

// blobFilter makes a test of the flags.
func (a *app) blobFilter(st *blob.Store, o purgeOptions) (func(blob.Info) (bool, error), error) {
	before, err := a.moment(o.older)
	if err != nil {
		return nil, usageError("pictx blobs purge --older-than 7d", "parse time %q: want a date, a date with time, or a span such as 7d", o.older)
	}
	if o.match == "" {
		return func(i blob.Info) (bool, error) { return o.older == "" || i.Used.Before(time.UnixMilli(before)), nil }, nil
	}
	re, err := regexp.Compile("(?im)" + o.match)
	if err != nil {
		return nil, usageError("pictx blobs purge --match 'api[_-]key'", "parse --match: %w", err)
	}
	return func(i blob.Info) (bool, error) {
		if o.older != "" && !i.Used.Before(time.UnixMilli(before)) {
			return false, nil
		}
		b, err := st.Peek(i.ID)
		return err == nil && re.Match(b.Text), err
	}, nil
}

// text lists what went.
func (v blobsPurgeJSON) text(w *out) {
	verb := "purged"
	if v.DryRun {
		verb = "would purge"
	}
	for _, r := range v.Removed {
		w.printf("%s %s, %s\n", verb, blob.ShortID(r.ID), text.Bytes(r.Bytes))
	}
}

func (a *app) blobsVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Read every blob and compare it with its id",
		Long: `Reads every blob and reports those whose bytes are not those they were made of, and
files that others may read. Exit code 1 means that there was something. A damaged blob
counts as missing; pictx blobs purge ID removes it.`,
		Example:     "  pictx blobs verify",
		Annotations: exits("130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runBlobsVerify(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// blobsVerifyJSON is what verify prints as JSON.
type blobsVerifyJSON struct {
	Blobs    int           `json:"blobs"`
	Findings []findingJSON `json:"findings"`
}

// findingJSON is something that is wrong with a blob.
type findingJSON struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

func (a *app) runBlobsVerify(ctx context.Context) error {
	st, _, _, err := a.blobs()
	if err != nil {
		return err
	}
	v := blobsVerifyJSON{Findings: []findingJSON{}}
	v.Blobs, err = st.Verify(ctx, func(f blob.Finding) { v.Findings = append(v.Findings, findingJSON(f)) })
	if err != nil {
		return err
	}
	err = a.out.emit(v, func(w *out) {
		for _, f := range v.Findings {
			w.printf("%s: %s: %s\n", blob.ShortID(f.ID), text.Printable(f.Path), text.TerminalLine(f.Problem))
		}
		w.printf("%s, %s\n", text.Count(v.Blobs, "blob"), text.Count(len(v.Findings), "finding"))
	})
	if err == nil && len(v.Findings) > 0 {
		return silent(exitFailed)
	}
	return err
}

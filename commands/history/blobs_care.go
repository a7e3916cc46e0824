package history

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/workspace"
)

// removedBlob is a blob that is deleted.
type removedBlob struct {
	ID     string `json:"id"`
	Bytes  int64  `json:"bytes"`
	Stored int64  `json:"stored_bytes"`
	Used   string `json:"used"`
	Why    string `json:"why"`
}

// blobsGCResult is what blobs gc prints as JSON.
type blobsGCResult struct {
	DryRun  bool          `json:"dry_run"`
	Removed []removedBlob `json:"removed"`
	Temps   int           `json:"temps"` // temporary files left by killed processes
	Count   int           `json:"count"` // blobs that remain
	Stored  int64         `json:"stored_bytes"`
}

// collectBlobs deletes blobs that are too old or exceed the size limit.
func collectBlobs(ctx context.Context, c *blobCall) error {
	limits := hooks.BlobLimits(c.settings)
	limits.DryRun, limits.Keep = c.dryRun, c.app.NamedBlobs(ctx, c.st)
	rep, err := c.st.GC(ctx, limits)
	if err != nil {
		return err
	}
	v := blobsGCResult{DryRun: c.dryRun, Removed: []removedBlob{}, Temps: rep.Temps, Count: rep.Count, Stored: rep.Bytes}
	for _, r := range rep.Removed {
		v.Removed = append(v.Removed, removedLine(r.Info, r.Why))
	}
	return c.app.Out.Emit(v, v.print)
}

func removedLine(i blob.Info, why string) removedBlob {
	return removedBlob{i.ID, i.Bytes, i.Stored, text.KnownTime(i.Used.UnixMilli()), why}
}

// print lists the blobs that were removed, and counts the rest.
func (v blobsGCResult) print(w *cli.Out) {
	verb, stay := "removed", "stay"
	if v.Count == 1 {
		stay = "stays"
	}
	if v.DryRun {
		verb, stay = "would remove", "would stay"
	}
	for _, r := range v.Removed {
		w.Printf("%s %s, %s: %s\n", verb, blob.ShortID(r.ID), text.Bytes(r.Bytes), text.TerminalLine(r.Why))
	}
	if v.Temps > 0 {
		w.Printf("%s %s left by a killed process\n", verb, text.Count(v.Temps, "file"))
	}
	w.Printf("%s %s, %s on disk\n", text.Count(v.Count, "blob"), stay, text.Bytes(v.Stored))
}

// blobsPurgeResult is what blobs purge prints as JSON.
type blobsPurgeResult struct {
	DryRun  bool          `json:"dry_run"`
	Removed []removedBlob `json:"removed"`
	Unread  []string      `json:"unread"` // ids of damaged blobs, which --match cannot read
}

// checkPurge requires exactly one way of choosing blobs.
func checkPurge(c *blobCall) error {
	ways := 0
	for _, given := range []bool{len(c.args) > 0, c.all, c.older != "" || c.match != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return exit.UsageError("pictx blobs purge --older-than 7d", "purge blobs: give ids, --all, or --older-than and --match")
	}
	return nil
}

// purgeBlobs deletes blobs for good.
func purgeBlobs(ctx context.Context, c *blobCall) error {
	chosen, unread, err := c.choose(ctx)
	if err != nil {
		return err
	}
	for _, id := range unread {
		fmt.Fprintf(c.app.Env.Err, "pictx: warning: blob %s is damaged: --match cannot look into it\n", blob.ShortID(id))
	}
	v := blobsPurgeResult{DryRun: c.dryRun, Removed: []removedBlob{}, Unread: append([]string{}, unread...)}
	if len(chosen) > 0 && !c.dryRun {
		if err := c.app.Confirm(ctx, c.yes, "Purge "+text.Count(len(chosen), "blob")+"?", purgeDetail(chosen)); err != nil {
			return err
		}
		ids := make([]string, len(chosen))
		for i := range chosen {
			ids[i] = chosen[i].ID
		}
		chosen, err = c.st.Purge(ctx, ids)
	}
	for _, i := range chosen {
		v.Removed = append(v.Removed, removedLine(i, blob.Purged))
	}
	if err := errors.Join(c.app.Out.Emit(v, v.print), err); err != nil {
		return err
	}
	if len(unread) > 0 {
		return exit.Silent(exit.Partly)
	}
	return nil // nothing to purge is not an error: a scheduled job finds that on most days
}

// purgeDetail lists the blobs for the confirmation.
func purgeDetail(chosen []blob.Info) string {
	const limit = 10
	var b strings.Builder
	b.WriteString("This cannot be undone:")
	for n, i := range chosen {
		if n == limit {
			fmt.Fprintf(&b, "\nand %s", text.Count(len(chosen)-limit, "other"))
			break
		}
		fmt.Fprintf(&b, "\n%s (%s, used %s)", blob.ShortID(i.ID), text.Bytes(i.Bytes), text.LocalMinute(i.Used.UnixMilli()))
	}
	return b.String()
}

// choose returns the blobs to delete, and the ids of damaged blobs that may be among them.
func (c *blobCall) choose(ctx context.Context) (chosen []blob.Info, unread []string, err error) {
	for _, arg := range c.args {
		i, err := c.st.Find(workspace.MarkerID([]string{arg}))
		if err != nil {
			return nil, nil, fmt.Errorf("purge blob %s: %w", arg, err)
		}
		chosen = append(chosen, i)
	}
	if len(c.args) > 0 {
		return chosen, nil, nil
	}
	wanted, err := c.filter()
	if err != nil {
		return nil, nil, err
	}
	all, err := c.st.List()
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

// filter returns a function that reports whether a blob matches the flags.
func (c *blobCall) filter() (func(blob.Info) (bool, error), error) {
	before, err := c.app.Moment(c.older)
	if err != nil {
		return nil, exit.UsageError("pictx blobs purge --older-than 7d", "parse time %q: want a date, a date with time, or a span such as 7d", c.older)
	}
	re, err := regexp.Compile("(?im)" + c.match)
	if err != nil {
		return nil, exit.UsageError("pictx blobs purge --match 'api[_-]key'", "parse --match: %w", err)
	}
	return func(i blob.Info) (bool, error) {
		if c.older != "" && !i.Used.Before(time.UnixMilli(before)) {
			return false, nil
		}
		if c.match == "" {
			return true, nil
		}
		b, err := c.st.Peek(i.ID)
		return err == nil && re.Match(b.Text), err
	}, nil
}

// print lists what went.
func (v blobsPurgeResult) print(w *cli.Out) {
	verb := "purged"
	if v.DryRun {
		verb = "would purge"
	}
	for _, r := range v.Removed {
		w.Printf("%s %s, %s\n", verb, blob.ShortID(r.ID), text.Bytes(r.Bytes))
	}
	if len(v.Removed)+len(v.Unread) == 0 {
		w.Printf("no matching blobs, nothing to purge\n")
	}
}

// blobsVerifyResult is what blobs verify prints as JSON.
type blobsVerifyResult struct {
	Blobs    int           `json:"blobs"`
	Findings []blobFinding `json:"findings"`
}

// blobFinding is a problem of a blob.
type blobFinding struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

// verifyBlobs reads every blob and compares it with its id, which is a hash.
func verifyBlobs(ctx context.Context, c *blobCall) error {
	v := blobsVerifyResult{Findings: []blobFinding{}}
	var err error
	v.Blobs, err = c.st.Verify(ctx, func(f blob.Finding) { v.Findings = append(v.Findings, blobFinding(f)) })
	if err != nil {
		return err
	}
	err = c.app.Out.Emit(v, func(w *cli.Out) {
		for _, f := range v.Findings {
			w.Printf("%s: %s: %s\n", blob.ShortID(f.ID), text.Printable(f.Path), text.TerminalLine(f.Problem))
		}
		w.Printf("%s, %s\n", text.Count(v.Blobs, "blob"), text.Count(len(v.Findings), "finding"))
	})
	if err == nil && len(v.Findings) > 0 {
		return exit.Silent(exit.Failed)
	}
	return err
}

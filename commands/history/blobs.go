package history

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/workspace"
)

// BlobsCommand returns the command pictx blobs. Its former command show is expand.
func BlobsCommand(a *cli.Run) *cobra.Command {
	show := ExpandCommand(a)
	show.Use, show.Hidden = "show ID", true
	return cli.Parent("blobs", "Manage the full text of shortened output", blobsList(a), blobsGC(a), blobsPurge(a), blobsVerify(a), show)
}

// blobView is a blob as JSON.
type blobView struct {
	ID       string   `json:"id"`
	Bytes    int64    `json:"bytes"` // of the text, -1 if unknown without reading it
	Stored   int64    `json:"stored_bytes"`
	Used     string   `json:"used"`
	Path     string   `json:"path"`
	Sessions []string `json:"sessions"`      // files of sessions known to refer to it
	Why      string   `json:"why,omitempty"` // it was deleted
}

func blobLine(st *blob.Store, i blob.Info, why string) blobView {
	return blobView{i.ID, i.Bytes, i.Stored, text.KnownTime(i.Used.UnixMilli()), i.Path, append([]string{}, st.Sessions(i.ID)...), why}
}

// blobsList returns the command that lists the blobs, the most recently used first.
func blobsList(a *cli.Run) *cobra.Command {
	cmd := cli.Command("list", "List the blobs", "3", cli.NoArgs, func(context.Context, []string) error {
		st, _, err := a.Blobs()
		if err != nil {
			return err
		}
		all, err := st.List()
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return exit.WithHint(exit.NotFound, "", errors.New("there are no blobs"))
		}
		rows, err := cli.JSONOrRows(a.Out, all, func(i *blob.Info) any { return blobLine(st, *i, "") }, func(i *blob.Info) []string {
			return []string{blob.ShortID(i.ID), text.LocalMinute(i.Used.UnixMilli()), text.Bytes(i.Bytes), text.Bytes(i.Stored)}
		})
		if rows != nil {
			a.Out.FittedTable(append([][]string{{"BLOB", "USED", "SIZE", "ON DISK"}}, rows...), 2, 3)
		}
		return err
	})
	return a.JSONFlag(cmd)
}

// blobsRemoved is what blobs gc and blobs purge print as JSON.
type blobsRemoved struct {
	DryRun  bool       `json:"dry_run"`
	Removed []blobView `json:"removed"`
	Unread  []string   `json:"unread"` // ids of damaged blobs, which --match cannot read
	Temps   int        `json:"temps"`  // temporary files left by killed processes
	Count   int        `json:"count"`  // blobs that remain
	Stored  int64      `json:"stored_bytes"`
}

// print lists the blobs that were removed, and counts the rest.
func (v blobsRemoved) print(w *cli.Out) {
	verb, stay := "removed", map[bool]string{true: "stays", false: "stay"}[v.Count == 1]
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

// blobsGC returns the command that deletes blobs that are too old or exceed the size limit.
func blobsGC(a *cli.Run) *cobra.Command {
	v := blobsRemoved{Removed: []blobView{}, Unread: []string{}}
	cmd := cli.Command("gc", "Delete old blobs", "130", cli.NoArgs, func(ctx context.Context, _ []string) error {
		st, settings, err := a.Blobs()
		if err != nil {
			return err
		}
		limits := hooks.BlobLimits(settings.Config.Blobs)
		limits.DryRun, limits.Keep = v.DryRun, a.NamedBlobs(ctx, st)
		rep, err := st.GC(ctx, limits)
		if err != nil {
			return err
		}
		v.Temps, v.Count, v.Stored = rep.Temps, rep.Count, rep.Bytes
		for _, r := range rep.Removed {
			v.Removed = append(v.Removed, blobLine(st, r.Info, r.Why))
		}
		return a.Out.Emit(v, v.print)
	})
	cmd.Flags().BoolVar(&v.DryRun, "dry-run", false, "delete nothing; show what would be deleted")
	return a.JSONFlag(cmd)
}

// purgeOptions are the flags of blobs purge.
type purgeOptions struct {
	all, yes, dryRun bool
	older, match     string
}

func blobsPurge(a *cli.Run) *cobra.Command {
	var o purgeOptions
	cmd := cli.Command("purge [ID…]", "Delete blobs for good", "3 4 5 130", cli.SomeArgs(0, -1), func(ctx context.Context, args []string) error {
		return runBlobsPurge(a, ctx, o, args)
	})
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "every blob")
	f.StringVar(&o.older, "older-than", "", "blobs not used since this `time`: a date, or a span such as 7d")
	f.StringVar(&o.match, "match", "", "blobs with a line that matches this `regex`, ignoring case")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.dryRun, "dry-run", false, "delete nothing; show what would be deleted")
	return a.JSONFlag(cmd)
}

// runBlobsPurge deletes the blobs that are chosen in exactly one way. Nothing to purge is not an
// error: a scheduled job finds that on most days.
func runBlobsPurge(a *cli.Run, ctx context.Context, o purgeOptions, args []string) error {
	ids, filtered := len(args) > 0, o.older != "" || o.match != ""
	if ids && (o.all || filtered) || o.all == filtered && !ids {
		return exit.UsageError("pictx blobs purge --older-than 7d", "purge blobs: give ids, --all, or --older-than and --match")
	}
	st, _, err := a.Blobs()
	if err != nil {
		return err
	}
	chosen, unread, err := o.choose(a, ctx, st, args)
	if err != nil {
		return err
	}
	v := blobsRemoved{DryRun: o.dryRun, Removed: []blobView{}, Unread: []string{}}
	for _, i := range unread {
		v.Unread = append(v.Unread, i.ID)
		fmt.Fprintf(a.Env.Err, "pictx: warning: blob %s is damaged: --match cannot look into it\n", blob.ShortID(i.ID))
	}
	if len(chosen) > 0 && !o.dryRun {
		ids, lines := make([]string, len(chosen)), make([]string, len(chosen))
		for n, i := range chosen {
			ids[n] = i.ID
			lines[n] = fmt.Sprintf("%s (%s, used %s)", blob.ShortID(i.ID), text.Bytes(i.Bytes), text.LocalMinute(i.Used.UnixMilli()))
		}
		if err := a.Confirm(ctx, o.yes, "Purge "+text.Count(len(chosen), "blob")+"?", cannotBeUndone(lines)); err != nil {
			return err
		}
		chosen, err = st.Purge(ctx, ids)
	}
	for _, i := range chosen {
		v.Removed = append(v.Removed, blobLine(st, i, blob.Purged))
	}
	v.Count, v.Stored, _ = st.Usage() // what went is said in any case
	if err := errors.Join(a.Out.Emit(v, v.print), err); err != nil || len(unread) == 0 {
		return err
	}
	return exit.Silent(exit.Partly)
}

// cannotBeUndone lists what is going to be deleted, as the detail of a question.
func cannotBeUndone(lines []string) string {
	const limit = 10
	if left := len(lines) - limit; left > 0 {
		lines = append(lines[:limit:limit], "and "+text.Count(left, "other"))
	}
	return "This cannot be undone:\n" + strings.Join(lines, "\n")
}

// choose returns the blobs to delete, and damaged blobs that may be among them.
func (o purgeOptions) choose(a *cli.Run, ctx context.Context, st *blob.Store, args []string) (chosen, unread []blob.Info, err error) {
	for _, arg := range args {
		i, err := st.Find(workspace.MarkerID([]string{arg}))
		if err != nil {
			return nil, nil, fmt.Errorf("purge blob %s: %w", arg, err)
		}
		chosen = append(chosen, i)
	}
	if len(args) > 0 {
		return chosen, nil, nil
	}
	before, err := a.Moment(o.older)
	if err != nil {
		return nil, nil, err
	}
	re, err := regexp.Compile("(?im)" + o.match)
	switch {
	case err != nil:
		return nil, nil, exit.UsageError("pictx blobs purge --match 'api[_-]key'", "parse --match: %w", err)
	case o.match != "":
		chosen, unread, err = st.Matching(ctx, re.Match)
	default:
		chosen, err = st.List()
	}
	young := func(i blob.Info) bool { return o.older != "" && !i.Used.Before(time.UnixMilli(before)) }
	return slices.DeleteFunc(chosen, young), slices.DeleteFunc(unread, young), err
}

// blobsVerified is what blobs verify prints as JSON.
type blobsVerified struct {
	Blobs    int            `json:"blobs"`
	Findings []blob.Finding `json:"findings"`
}

// blobsVerify returns the command that reads every blob and compares it with its id, which is a
// hash.
func blobsVerify(a *cli.Run) *cobra.Command {
	cmd := cli.Command("verify", "Check all blobs for damage", "130", cli.NoArgs, func(ctx context.Context, _ []string) error {
		st, _, err := a.Blobs()
		if err != nil {
			return err
		}
		v := blobsVerified{Findings: []blob.Finding{}}
		if v.Blobs, err = st.Verify(ctx, func(f blob.Finding) { v.Findings = append(v.Findings, f) }); err != nil {
			return err
		}
		err = a.Out.Emit(v, func(w *cli.Out) {
			for _, f := range v.Findings {
				w.Printf("%s: %s: %s\n", blob.ShortID(f.ID), text.Printable(f.Path), text.TerminalLine(f.Problem))
			}
			w.Printf("%s, %s\n", text.Count(v.Blobs, "blob"), text.Count(len(v.Findings), "finding"))
		})
		if err == nil && len(v.Findings) > 0 {
			return exit.Silent(exit.Failed)
		}
		return err
	})
	return a.JSONFlag(cmd)
}

package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

func (a *app) objectVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check all objects against their hashes",
		Long: `Reads every version of every object: that it has the hashes it was stored with, that no
two are true and known at the same time, that what is kept as a difference can be made
whole, and that references to versions find them. What is damaged is listed, and the
rest is read on. It changes nothing.`,
		Example:     "  pictx object verify\n  pictx object verify --json | jq .findings",
		Annotations: exits("10 11 12 130"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runObjectVerify(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// objectVerifyJSON is what verify read and found.
type objectVerifyJSON struct {
	Objects  int                    `json:"objects"`
	Versions int                    `json:"versions"`
	Facts    int                    `json:"facts"`
	Findings []sqlite.ObjectFinding `json:"findings"`
}

func (a *app) runObjectVerify(ctx context.Context) error {
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	r, err := st.VerifyObjects(ctx)
	if err != nil {
		return err
	}
	j := objectVerifyJSON{r.Objects, r.Versions, r.Facts, append([]sqlite.ObjectFinding{}, r.Findings...)}
	err = a.out.emit(j, func(w *out) {
		for _, f := range r.Findings {
			of := "the store"
			if f.ID != "" {
				of = f.ID
			}
			if f.Version > 0 {
				of += fmt.Sprintf(" version %d", f.Version)
			}
			w.printf("%s: %s\n", of, text.TerminalLine(f.Problem))
		}
		w.printf("%s, %s, %s: %s\n", text.Count(r.Objects, "object"), text.Count(r.Versions, "version"), text.Count(r.Facts, "fact"), findingsText(len(r.Findings)))
	})
	if err == nil && len(r.Findings) > 0 {
		err = silent(exitFailed)
	}
	return err
}

func findingsText(n int) string {
	if n == 0 {
		return "all sound"
	}
	return text.Count(n, "finding")
}

type objectGCOptions struct {
	older  string
	dryRun bool
	yes    bool
}

func (a *app) objectGC() *cobra.Command {
	var o objectGCOptions
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Delete contents that nothing needs",
		Long: `Deletes the texts that no object and no entry of history refers to. With --older-than
also the contents of versions that have not been true for so long: their hashes and
what history lists of them stay, and what is true now is never touched.`,
		Example:     "  pictx object gc --dry-run\n  pictx object gc --older-than 90d --yes",
		Annotations: exits("5 10 11 12"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runObjectGC(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.older, "older-than", "", "drop contents of versions that ended before this `time`, as 90d")
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what would go")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	a.jsonFlag(cmd)
	return cmd
}

// objectGCJSON is what gc deleted.
type objectGCJSON struct {
	DryRun   bool  `json:"dry_run"`
	Texts    int   `json:"texts"`
	Bytes    int64 `json:"stored_bytes"`
	Versions int   `json:"versions"` // that lost their content
}

func (a *app) runObjectGC(ctx context.Context, o objectGCOptions) error {
	var before object.Time
	var err error
	if o.older != "" {
		if before, err = object.ParseTime(o.older, a.env.Now().Local()); err != nil {
			return usageError("pictx object gc --older-than 90d", "parse time: %w", err)
		}
	}
	st, err := a.existingStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	c, err := st.CollectObjects(ctx, before, true)
	if err == nil && !o.dryRun && c.Texts+c.Versions > 0 {
		detail := fmt.Sprintf("%s (%s), of %s.", text.Count(c.Texts, "text"), text.Bytes(c.Bytes), text.Count(c.Versions, "version"))
		if err = a.confirm(ctx, o.yes, "Delete contents of objects?", detail); err == nil {
			c, err = st.CollectObjects(ctx, before, false)
		}
	}
	if err != nil {
		return err
	}
	j := objectGCJSON{o.dryRun, c.Texts, c.Bytes, c.Versions}
	return a.out.emit(j, func(w *out) {
		verb := "deleted"
		if o.dryRun {
			verb = "would delete"
		}
		w.printf("%s %s (%s); %s without content\n", verb, text.Count(j.Texts, "text"), text.Bytes(j.Bytes), text.Count(j.Versions, "version"))
	})
}

type objectEvictOptions struct {
	yes    bool
	dryRun bool
	reason string
}

func (a *app) objectEvict() *cobra.Command {
	var o objectEvictOptions
	cmd := a.objectVerb("evict ID", "Take the content of an object away for ever",
		`Takes the content of all versions of an object out of the store, and what was written
in its fields; the hashes stay, and the same content is not stored again. The store is
written anew and read again to see that the bytes are gone.

What else has the text is named: other objects, the history of sessions, a blob, and
pi's own session files, which pictx does not change.`,
		"  pictx object evict o-3f9a --dry-run\n  pictx object evict o-3f9a --yes",
		"3 4 5 10 11 12", func(ctx context.Context, id string) error { return a.runObjectEvict(ctx, o, id) })
	f := cmd.Flags()
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what would go")
	f.StringVar(&o.reason, "reason", "", "a `text` to remember why")
	a.jsonFlag(cmd)
	return cmd
}

// objectEvictJSON is what evict took away, and what is left elsewhere.
type objectEvictJSON struct {
	ID       string   `json:"id"`
	DryRun   bool     `json:"dry_run"`
	Versions int      `json:"versions"`
	Texts    int      `json:"texts"`
	Bytes    int64    `json:"bytes"`
	Shared   []string `json:"shared"`   // other objects that have one of the texts
	Entries  []string `json:"entries"`  // of history
	Blobs    []string `json:"blobs"`    // that are one of the texts
	Verified bool     `json:"verified"` // the files of the store were read, and do not have it
	Remains  []string `json:"remains"`  // files that do
	Copies   []string `json:"copies"`   // of the store, made before
}

func (a *app) runObjectEvict(ctx context.Context, o objectEvictOptions, name string) error {
	st, err := a.existingStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	obj, err := a.object(ctx, st, name)
	if err != nil {
		return err
	}
	what, err := st.WhatEvictTakes(ctx, obj)
	if err != nil {
		return err
	}
	j := objectEvictJSON{
		ID: obj.ID, DryRun: o.dryRun, Versions: what.Versions, Texts: what.Texts, Bytes: what.Bytes,
		Shared: append([]string{}, what.Shared...), Entries: append([]string{}, what.Entries...), Blobs: a.blobsOf(what.Sums),
		Remains: []string{}, Copies: []string{},
	}
	if !o.dryRun && what.Versions > 0 {
		if err := a.confirm(ctx, o.yes, "Evict "+obj.ID+"?", evictDetail(j)); err != nil {
			return err
		}
		left, err := st.EvictObject(ctx, object.Tx{Actor: a.actor(), Reason: o.reason}, obj.ID)
		if err != nil {
			return err
		}
		j.Verified = len(left.Files) == 0 && left.Words == 0
		j.Remains, j.Copies = append(j.Remains, left.Files...), append(j.Copies, left.Copies...)
	}
	if err := a.out.emit(j, func(w *out) { printEvicted(w, j) }); err != nil {
		return err
	}
	if j.DryRun || j.Verified && len(j.Shared)+len(j.Entries)+len(j.Blobs)+len(j.Copies) == 0 || what.Versions == 0 {
		return nil
	}
	return silent(exitPartly)
}

// blobsOf returns the blobs that are one of some texts, by their sums.
func (a *app) blobsOf(sums []string) []string {
	out := []string{}
	cache, _, _, err := a.blobs()
	if err != nil {
		return out
	}
	all, err := cache.List()
	if err != nil {
		return out
	}
	for _, b := range all {
		for _, s := range sums {
			if b.ID == s {
				out = append(out, b.ID)
			}
		}
	}
	return out
}

func evictDetail(j objectEvictJSON) string {
	return fmt.Sprintf("The content of %s goes: %s, %s. It cannot be had back.", text.Count(j.Versions, "version"), text.Count(j.Texts, "text"), text.Bytes(j.Bytes))
}

func printEvicted(w *out, j objectEvictJSON) {
	switch {
	case j.DryRun:
		w.printf("would evict %s: %s, %s, %s\n", j.ID, text.Count(j.Versions, "version"), text.Count(j.Texts, "text"), text.Bytes(j.Bytes))
	case j.Versions == 0:
		w.printf("%s has no content\n", j.ID)
	default:
		w.printf("evicted %s: %s, %s, %s\n", j.ID, text.Count(j.Versions, "version"), text.Count(j.Texts, "text"), text.Bytes(j.Bytes))
	}
	for _, f := range j.Remains {
		w.printf("bytes of it are in %s still: pictx history vacuum\n", f)
	}
	for _, id := range j.Shared {
		w.printf("object %s has a text of it: pictx object evict %s\n", id, id)
	}
	for _, id := range j.Entries {
		w.printf("history has it in entry %s: pictx history purge --entry %s\n", id, id)
	}
	for _, id := range j.Blobs {
		w.printf("a blob has it: pictx blobs purge %s\n", id)
	}
	for _, f := range j.Copies {
		w.printf("a copy of the store was made before: %s\n", f)
	}
}

type objectExportOptions struct {
	format string
	output string
}

func (a *app) objectExport() *cobra.Command {
	var o objectExportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write all objects with their history",
		Long: `Writes all objects, one JSON object a line. The format json has a line for each version
in force and before, with both of its intervals and its content. The format xtdb-tx has
a line for each transaction, as the body of a submit-tx of XTDB 1: putting them in, in
order, gives the same objects there, with their valid times. What XTDB has no word for
is beside it under "pictx".`,
		Example:     "  pictx object export -o objects.jsonl\n  pictx object export --format xtdb-tx > tx.jsonl",
		Annotations: exits("5 10 11 12"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runObjectExport(cmd.Context(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "json", "the `format`: json, xtdb-tx")
	a.completeWords(cmd, "format", []string{"json", "xtdb-tx"})
	f.StringVarP(&o.output, "output", "o", "", "write into this `file`")
	return cmd
}

func (a *app) runObjectExport(ctx context.Context, o objectExportOptions) error {
	if o.format != "json" && o.format != "xtdb-tx" {
		return usageError("pictx object export --format xtdb-tx", "unknown --format %q: want json or xtdb-tx", o.format)
	}
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	var b bytes.Buffer
	if o.format == "json" {
		err = exportVersions(ctx, st, &b)
	} else {
		err = st.EachTransaction(ctx, func(tx *object.Transaction) error {
			line, err := object.EncodeXTDB(tx)
			b.Write(line)
			return errors.Join(err, ctx.Err())
		})
	}
	if err != nil {
		return err
	}
	return a.deliver(o.output, b.Bytes())
}

// exportVersions writes every version of every object.
func exportVersions(ctx context.Context, st *sqlite.Store, b *bytes.Buffer) error {
	all, err := st.AllObjects(ctx)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for _, o := range all {
		versions, err := st.History(ctx, o.ID, true)
		if err != nil {
			return err
		}
		for i := range versions {
			v := &versions[i]
			content, err := st.Content(ctx, v)
			if err != nil && !errors.Is(err, object.ErrEvicted) {
				return err
			}
			j := shownJSON{objectJSON: objectLine(v), Versions: o.Versions, Document: v.Doc}
			if content != nil {
				text, encoding := contentJSON(content)
				j.Text, j.Encoding = text, encoding
			}
			if err := enc.Encode(j); err != nil {
				return fmt.Errorf("write objects: %w", err)
			}
		}
	}
	return nil
}

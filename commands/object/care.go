package object

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/objects"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// verifyResult is what object verify prints as JSON.
type verifyResult struct {
	Objects  int               `json:"objects"`
	Versions int               `json:"versions"`
	Facts    int               `json:"facts"`
	Findings []objects.Finding `json:"findings"`
}

// verifyObjects checks all objects against their hashes.
func verifyObjects(ctx context.Context, c *call) error {
	r, err := c.st.Objects.Verify(ctx)
	if err != nil {
		return err
	}
	j := verifyResult{r.Objects, r.Versions, r.Facts, append([]objects.Finding{}, r.Findings...)}
	err = c.app.Out.Emit(j, j.print)
	if err == nil && len(r.Findings) > 0 {
		err = exit.Silent(exit.Failed)
	}
	return err
}

func (j verifyResult) print(w *cli.Out) {
	for _, f := range j.Findings {
		of := cmp.Or(f.ID, "the store")
		if f.Version > 0 {
			of += fmt.Sprintf(" version %d", f.Version)
		}
		w.Printf("%s: %s\n", of, text.TerminalLine(f.Problem))
	}
	sound := "all sound"
	if n := len(j.Findings); n > 0 {
		sound = text.Count(n, "finding")
	}
	w.Printf("%s, %s, %s: %s\n", text.Count(j.Objects, "object"), text.Count(j.Versions, "version"), text.Count(j.Facts, "fact"), sound)
}

// gcResult is what object gc prints as JSON.
type gcResult struct {
	DryRun   bool  `json:"dry_run"`
	Texts    int   `json:"texts"`
	Bytes    int64 `json:"stored_bytes"`
	Versions int   `json:"versions"` // that have lost their content
}

// checkCollection parses the time before which contents are deleted.
func checkCollection(c *call) (err error) {
	if c.older == "" {
		return nil
	}
	if c.before, err = object.ParseTime(c.older, c.app.Env.Now().Local()); err != nil {
		return exit.UsageError("pictx object gc --older-than 90d", "parse time: %w", err)
	}
	return nil
}

// collectObjects deletes contents that are no longer needed.
func collectObjects(ctx context.Context, c *call) error {
	found, err := c.st.Objects.Collect(ctx, c.before, true)
	if err == nil && !c.dryRun && found.Texts+found.Versions > 0 {
		detail := fmt.Sprintf("%s (%s), of %s.", text.Count(found.Texts, "text"), text.Bytes(found.Bytes), text.Count(found.Versions, "version"))
		if err = c.app.Confirm(ctx, c.yes, "Delete contents of objects?", detail); err == nil {
			found, err = c.st.Objects.Collect(ctx, c.before, false)
		}
	}
	if err != nil {
		return err
	}
	j := gcResult{c.dryRun, found.Texts, found.Bytes, found.Versions}
	return c.app.Out.Emit(j, func(w *cli.Out) {
		verb := "deleted"
		if j.DryRun {
			verb = "would delete"
		}
		w.Printf("%s %s (%s); %s without content\n", verb, text.Count(j.Texts, "text"), text.Bytes(j.Bytes), text.Count(j.Versions, "version"))
	})
}

// evictResult is what object evict prints as JSON.
type evictResult struct {
	ID       string   `json:"id"`
	DryRun   bool     `json:"dry_run"`
	Versions int      `json:"versions"`
	Texts    int      `json:"texts"`
	Bytes    int64    `json:"bytes"`
	Shared   []string `json:"shared"`   // other objects with one of the texts
	Entries  []string `json:"entries"`  // entries of the history with one of them
	Blobs    []string `json:"blobs"`    // blobs with one of them
	Verified bool     `json:"verified"` // the store's files were read and no longer hold it
	Remains  []string `json:"remains"`  // files of the store that still do
	Copies   []string `json:"copies"`   // earlier copies of the store
}

// evictObject deletes the content of all versions of an object.
func evictObject(ctx context.Context, c *call) error {
	what, err := c.st.Objects.WhatEvictTakes(ctx, c.obj)
	if err != nil {
		return err
	}
	j := evictResult{
		ID: c.obj.ID, DryRun: c.dryRun, Versions: what.Versions, Texts: what.Texts, Bytes: what.Bytes,
		Shared: append([]string{}, what.Shared...), Entries: append([]string{}, what.Entries...), Blobs: blobsOf(c.app, what.Sums),
		Remains: []string{}, Copies: []string{},
	}
	if !c.dryRun && what.Versions > 0 {
		detail := fmt.Sprintf("Deletes the content of %s: %s, %s. It cannot be restored.", text.Count(j.Versions, "version"), text.Count(j.Texts, "text"), text.Bytes(j.Bytes))
		if err := c.app.Confirm(ctx, c.yes, "Evict "+j.ID+"?", detail); err != nil {
			return err
		}
		left, err := c.st.Objects.Evict(ctx, object.Tx{Actor: c.app.Actor(), Reason: c.reason}, j.ID)
		if err != nil {
			return err
		}
		j.Verified = len(left.Files) == 0
		j.Remains, j.Copies = append(j.Remains, left.Files...), append(j.Copies, left.Copies...)
	}
	if err := c.app.Out.Emit(j, j.print); err != nil {
		return err
	}
	if j.DryRun || j.Verified && len(j.Shared)+len(j.Entries)+len(j.Blobs)+len(j.Copies) == 0 || what.Versions == 0 {
		return nil
	}
	return exit.Silent(exit.Partly)
}

// blobsOf returns the blobs with one of the given hashes.
func blobsOf(a *cli.Run, sums []string) []string {
	out := []string{}
	cache, _, err := a.Blobs()
	if err != nil {
		return out
	}
	all, err := cache.List()
	if err != nil {
		return out
	}
	for _, b := range all {
		if slices.Contains(sums, b.ID) {
			out = append(out, b.ID)
		}
	}
	return out
}

func (j evictResult) print(w *cli.Out) {
	size := fmt.Sprintf("%s, %s, %s", text.Count(j.Versions, "version"), text.Count(j.Texts, "text"), text.Bytes(j.Bytes))
	switch {
	case j.DryRun:
		w.Printf("would evict %s: %s\n", j.ID, size)
	case j.Versions == 0:
		w.Printf("%s has no content\n", j.ID)
	default:
		w.Printf("evicted %s: %s\n", j.ID, size)
	}
	for _, left := range []struct {
		format string
		names  []string
	}{
		{"%[1]s still holds bytes of it: pictx history vacuum\n", j.Remains},
		{"object %[1]s also has the text: pictx object evict %[1]s\n", j.Shared},
		{"the history has it in entry %[1]s: pictx history purge --entry %[1]s\n", j.Entries},
		{"a blob has it: pictx blobs purge %[1]s\n", j.Blobs},
		{"an earlier copy of the store may hold it: %[1]s\n", j.Copies},
	} {
		for _, name := range left.names {
			w.Printf(left.format, name)
		}
	}
}

// checkExport rejects an unknown format.
func checkExport(c *call) error {
	if c.format != "json" && c.format != "xtdb-tx" {
		return exit.UsageError("pictx object export --format xtdb-tx", "unknown --format %q: want json or xtdb-tx", c.format)
	}
	return nil
}

// exportObjects exports all objects with their history.
func exportObjects(ctx context.Context, c *call) (err error) {
	var b bytes.Buffer
	if c.format == "json" {
		err = exportVersions(ctx, c.st, &b)
	} else {
		err = c.st.Objects.EachTransaction(ctx, func(tx *object.Transaction) error {
			line, err := object.EncodeXTDB(tx)
			b.Write(line)
			return errors.Join(err, ctx.Err())
		})
	}
	if err != nil {
		return err
	}
	return c.app.Deliver(c.output, b.Bytes())
}

// exportVersions writes every version of every object as a line of JSON.
func exportVersions(ctx context.Context, st *store.Store, b *bytes.Buffer) error {
	all, err := st.Objects.All(ctx)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for _, o := range all {
		versions, err := st.Objects.History(ctx, o.ID, true)
		if err != nil {
			return err
		}
		for i := range versions {
			v := &versions[i]
			content, err := st.Objects.Content(ctx, v)
			if err != nil && !errors.Is(err, object.ErrEvicted) {
				return err
			}
			if err := enc.Encode(shownLine(v, o.Versions, content)); err != nil {
				return fmt.Errorf("write objects: %w", err)
			}
		}
	}
	return nil
}

// watchResult is a change that object watch found.
type watchResult struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Seen    string `json:"seen"`
	Version int    `json:"version"`
}

// checkWatch rejects an interval that is too short.
func checkWatch(c *call) error {
	if c.interval < 100*time.Millisecond {
		return exit.UsageError("pictx object watch --interval 2s", "--interval %s is too short", c.interval)
	}
	return nil
}

// watchFiles updates the objects of files until it is interrupted.
func watchFiles(ctx context.Context, c *call) error {
	for {
		err := c.lookAtFiles(ctx)
		if ferr := c.app.Out.Flush(); err == nil && ferr != nil {
			err = fmt.Errorf("write output: %w", ferr)
		}
		if err != nil || c.once {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.interval):
		}
	}
}

// lookAtFiles updates the objects of files from the disk, and prints the changes.
func (c *call) lookAtFiles(ctx context.Context) error {
	st := c.st
	before, err := knownFiles(ctx, st)
	if err != nil {
		return err
	}
	work, err := workspace.CaptureFiles(ctx, c.app.Workspace, st)
	if err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(before))
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
		j := watchResult{id, is.Doc.Label(is.Key), seenAs(&was, &is), is.Number}
		if err := c.app.Out.Emit(j, func(w *cli.Out) {
			w.Printf("%s  %s  %s, version %d\n", j.ID, text.TerminalLine(j.Path), j.Seen, j.Version)
		}); err != nil {
			return err
		}
	}
	return nil
}

// knownFiles returns the objects of files by id.
func knownFiles(ctx context.Context, st *store.Store) (map[string]object.Version, error) {
	all, err := st.Objects.FindObjects(ctx, object.Query{Terms: []object.Term{{Field: "type", Value: string(object.KindFile)}}})
	out := make(map[string]object.Version, len(all))
	for i := range all {
		out[all[i].ID] = all[i]
	}
	return out, err
}

// seenAs names the change of a file: deleted, back, moved or changed.
func seenAs(was, is *object.Version) string {
	switch {
	case is.Doc.Deleted:
		return "deleted"
	case was.Doc.Deleted:
		return "back"
	case was.Doc.Label(was.Key) != is.Doc.Label(is.Key):
		return "moved"
	}
	return "changed"
}

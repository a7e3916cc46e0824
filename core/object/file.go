package object

import (
	"bytes"
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// shownFile is what is known of a file: its content, nil for none, or these lines of it.
type shownFile struct {
	content []byte
	lines   *Lines
	stat    *Stat // of the file on disk with this content
}

// files captures what a call did to files, and returns the ids of those that it read or
// wrote.
func (c *Capture) files(ctx context.Context, n *message.Node, args jsontext.Value, text []byte) ([]string, error) {
	acc := tool.AccessOf(n.Message.ToolName, args, c.CWD)
	if acc.Lists || acc.Shell {
		if c.Unlisted {
			return nil, nil
		}
		return nil, c.discover(ctx, n, acc, text)
	}
	if acc.Path == "" || !acc.Reads && !acc.Writes {
		return nil, nil
	}
	look := c.Files.Look(acc.Path)
	if look.Gone {
		return nil, c.noteGone(ctx, FileKey("", look.Path))
	}
	if !look.File {
		return nil, nil
	}
	f := fileOp{Capture: c, look: look, leaf: n.ID}
	var data []byte
	if c.past == nil {
		var err error
		if data, err = f.content(); err != nil {
			return nil, nil // unreadable: nothing to capture
		}
	}
	if err := f.identify(ctx, data); err != nil {
		return nil, err
	}
	now, isNew, err := f.after(ctx, acc, data, args, text)
	if err != nil || !isNew {
		f.record(f.id, f.key, Activated, f.leaf)
		return []string{f.id}, err
	}
	if c.past != nil && n.Message.Content.Images > 0 {
		now.content, now.lines = nil, nil
	}
	return []string{f.id}, f.put(ctx, now, timeOf(n))
}

// noteGone records that a file no longer exists.
func (c *Capture) noteGone(ctx context.Context, k Key) error {
	id, known, err := c.id(ctx, k)
	if err != nil || !known {
		return err
	}
	c.tx.Ops = append(c.tx.Ops, Op{Do: Delete, ID: id})
	return nil
}

// fileOp captures one file.
type fileOp struct {
	*Capture
	look  Look
	leaf  string // the entry at which it occurred in the session
	id    string
	key   Key
	moved bool // the object still has the key of its old path
}

// identify finds the object of the file: by its path or, for a new path, by the content of
// a file that is gone.
func (f *fileOp) identify(ctx context.Context, content []byte) error {
	f.key = FileKey("", f.look.Path)
	id, known, err := f.Capture.id(ctx, f.key)
	f.id = id
	if err != nil || known || len(content) == 0 {
		return err
	}
	if f.Store.Mask != nil {
		content = []byte(f.Store.Mask(string(content)))
	}
	same, err := f.Store.Holding(ctx, content)
	for _, o := range same {
		if err == nil && o.Key.Kind == KindFile && f.Files.Look(o.Key.Part(1)).Gone {
			f.id, f.moved = o.ID, true
			return nil
		}
	}
	return err
}

// current captures the file as it is on disk. What is gone or cannot be read is left as it is.
func (f *fileOp) current(ctx context.Context) error {
	data, err := f.content()
	if err != nil {
		return nil
	}
	if err := f.identify(ctx, data); err != nil {
		return err
	}
	return f.put(ctx, shownFile{content: data, stat: &f.look.Stat}, 0)
}

// put writes what is known of the file at a time, or since its modification time.
func (f *fileOp) put(ctx context.Context, now shownFile, at Time) error {
	op := Op{Key: f.key, Doc: f.document(now), At: at, Stat: now.stat}
	if now.stat != nil {
		op.At = Time(now.stat.ModTime / 1000)
	}
	if f.moved {
		op.ID, f.moved = f.id, false
	}
	if f.past == nil {
		// The file on disk is the latest version, even if its modification time is older.
		v, err := f.Store.Get(ctx, f.id, 0)
		if err == nil && v.From >= op.At {
			op.At = 0
		}
	}
	f.Capture.put(f.id, op, Activated, f.leaf)
	return nil
}

// after returns what is known of the file after a call. data is its content on disk, nil for none
// to keep. isNew is false when the call says nothing new.
func (f *fileOp) after(ctx context.Context, acc tool.Access, data, args, text []byte) (now shownFile, isNew bool, err error) {
	if f.past != nil {
		now, isNew = f.afterPast(acc, args, text)
		return now, isNew, nil
	}
	now = shownFile{content: data, stat: &f.look.Stat}
	whole := acc.First <= 1 && acc.Last == 0 && bytes.Equal(bytes.TrimRight(text, "\n"), bytes.TrimRight(data, "\n"))
	if acc.Writes || data == nil || text == nil || whole {
		return now, true, nil
	}
	v, err := f.Store.Get(ctx, f.id, 0)
	if err == nil && v.Part() == nil && v.Hashes.Content == ContentHash(data) {
		return now, f.moved, nil
	}
	return shownPart(acc, text), true, ignoreUnknown(err)
}

// afterPast is after for a session that is over, of which only the calls tell: what was read or
// written, and the result of an edit of known content.
func (f *fileOp) afterPast(acc tool.Access, args, text []byte) (now shownFile, isNew bool) {
	was, seen := f.past[f.look.Path]
	switch {
	case acc.Writes:
		now = was.changed(args)
	case text != nil:
		now = shownPart(acc, text)
		if acc.First <= 1 && acc.Last == 0 && len(now.content) == len(text) {
			now.lines = nil
		} else if seen && was.lines == nil && bytes.Contains(was.content, bytes.TrimRight(now.content, "\n")) {
			return was, false
		}
	}
	if !keeps(now.content) {
		now = shownFile{}
	}
	f.past[f.look.Path] = now
	return now, true
}

// keeps reports whether a content is text, and not too large to keep.
func keeps(content []byte) bool {
	return len(content) <= MaxContent && bytes.IndexByte(content, 0) < 0
}

// shownPart returns the part of a file that a read returned, without pi's note about what
// it left out.
func shownPart(acc tool.Access, text []byte) shownFile {
	if part, more := tool.WithoutNote(string(text)); more {
		text = []byte(part)
	}
	first := max(1, acc.First)
	return shownFile{content: text, lines: &Lines{First: first, Last: first + newlines(text)}}
}

// newlines counts the line feeds of a text, except one at its end.
func newlines(text []byte) int {
	return bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// changed returns the file after a call: what it writes, or its edits made to what was
// known, which is then known as well.
func (f shownFile) changed(args []byte) shownFile {
	var p struct {
		edit
		Content *string `json:"content"`
		Edits   edits   `json:"edits"`
	}
	if err := json.Unmarshal(args, &p); err != nil {
		return shownFile{}
	}
	if p.Content != nil {
		return shownFile{content: []byte(*p.Content)}
	}
	if p.Old != "" {
		p.Edits = append(p.Edits, p.edit)
	}
	if f.content == nil || len(p.Edits) == 0 {
		return shownFile{}
	}
	out, ok := edited(string(f.content), p.Edits)
	if !ok {
		return shownFile{}
	}
	f.content = []byte(out)
	if f.lines != nil {
		f.lines = &Lines{f.lines.First, f.lines.First + newlines(f.content)}
	}
	return f
}

// content reads the file: nil when it is not text, or too large to keep.
func (f *fileOp) content() ([]byte, error) {
	if f.look.Stat.Size > MaxContent {
		return nil, nil
	}
	data, err := f.Files.Read(f.look.Path, MaxContent+1)
	switch {
	case err != nil || !keeps(data):
		return nil, err
	case data == nil:
		return []byte{}, nil
	}
	return data, nil
}

// document describes the file.
func (f *fileOp) document(now shownFile) *Document {
	d := &Document{Kind: KindFile, Content: now.content, File: &File{
		Path: f.look.Path, FileType: FileType(f.look.Path), Chars: utf8.RuneCount(now.content), Lines: now.lines,
	}}
	if now.content == nil && d.File.FileType == "" {
		d.File.FileType = "binary"
	}
	return d
}

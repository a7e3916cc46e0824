package object

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// files captures what a call did to files, and returns the ids of those that it read or
// wrote.
func (c *Capture) files(ctx context.Context, n *message.Node, args jsontext.Value, text []byte) ([]string, error) {
	if c.past != nil {
		return c.pastFileOf(ctx, n, args, text)
	}
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
	f := fileOp{Capture: c, look: look, leaf: n.ID, at: timeOf(n)}
	var err error
	if acc.Writes {
		err = f.current(ctx)
	} else {
		err = f.read(ctx, acc, text)
	}
	return []string{f.id}, err
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
	look Look
	leaf string // the entry at which it occurred in the session
	at   Time   // when that was
	id   string
	key  Key
	move bool // the object still has the key of its old path
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
	same, err := f.Store.Holding(ctx, content)
	for _, o := range same {
		if err == nil && o.Key.Kind == KindFile && f.Files.Look(o.Key.Part(1)).Gone {
			f.id, f.move = o.ID, true
			return nil
		}
	}
	return err
}

// put writes a version of the file.
func (f *fileOp) put(ctx context.Context, d *Document, from Time, stat *Stat) error {
	op := Op{Doc: d, At: from, Stat: stat}
	if f.move {
		op.ID, f.move = f.id, false
	}
	// The file on disk is the latest version, even if its modification time is older.
	v, err := f.Store.Get(ctx, f.id, 0)
	if err == nil && v.From >= from {
		op.At = 0
	}
	f.Capture.put(f.id, f.key, op, Activated, f.leaf)
	return nil
}

// current captures the file as it is on disk.
func (f *fileOp) current(ctx context.Context) error {
	data, err := f.content()
	if err != nil {
		return nil // gone or unreadable: nothing to capture
	}
	if err := f.identify(ctx, data); err != nil {
		return err
	}
	return f.put(ctx, f.document(data), Time(f.look.Stat.ModTime/1000), &f.look.Stat)
}

// read captures the lines that a call read.
func (f *fileOp) read(ctx context.Context, acc tool.Access, text []byte) error {
	data, err := f.content()
	if err != nil {
		return nil
	}
	if err := f.identify(ctx, data); err != nil {
		return err
	}
	whole := acc.First <= 1 && acc.Last == 0
	part, lines := shownPart(acc, text)
	switch {
	case data == nil, whole && bytes.Equal(bytes.TrimRight(text, "\n"), bytes.TrimRight(data, "\n")):
		return f.put(ctx, f.document(data), Time(f.look.Stat.ModTime/1000), &f.look.Stat)
	case text == nil:
		return nil
	}
	if known, err := f.knows(ctx, data); err != nil || known {
		f.record(f.id, f.key, Activated, f.leaf)
		return err
	}
	d := f.document(part)
	d.File.Lines = &lines
	return f.put(ctx, d, f.at, nil)
}

// knows reports whether the latest version has the whole present content of the file.
func (f *fileOp) knows(ctx context.Context, data []byte) (bool, error) {
	v, err := f.Store.Get(ctx, f.id, 0)
	if err != nil {
		return false, ignoreUnknown(err)
	}
	return v.Doc.File != nil && v.Doc.File.Lines == nil && v.Hashes.Content == ContentHash(data), nil
}

// shownPart returns the part of a file that a read returned, without pi's note about what
// it left out, and the lines of that part.
func shownPart(acc tool.Access, text []byte) ([]byte, Lines) {
	if part, more := tool.WithoutNote(string(text)); more {
		text = []byte(part)
	}
	first := max(1, acc.First)
	return text, Lines{First: first, Last: first + bytes.Count(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))}
}

// content reads the file: nil when it is not text, or too large to keep.
func (f *fileOp) content() ([]byte, error) {
	if f.look.Stat.Size > MaxContent {
		return nil, nil
	}
	data, err := f.Files.Read(f.look.Path, MaxContent+1)
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxContent || bytes.IndexByte(data, 0) >= 0:
		return nil, nil
	case data == nil:
		return []byte{}, nil
	}
	return data, nil
}

// document describes the file, without content when content is nil.
func (f *fileOp) document(content []byte) *Document {
	d := &Document{Kind: KindFile, Content: content, File: &File{
		Path: f.look.Path, FileType: FileType(f.look.Path), Chars: utf8.RuneCount(content),
	}}
	if content == nil && d.File.FileType == "" {
		d.File.FileType = "binary"
	}
	return d
}

package object

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// Past captures all branches of a recorded session, and returns the number of captured
// results. Contents of files come from the session alone, because the disk has only the
// present ones; Files says which paths belong to the project. Files that a listing or
// command names are left out, because nothing shows that they were files.
//
// Versions have the times of their entries. Capturing a session again adds only what is
// new; a session that was captured while it ran gains nothing.
func (c *Capture) Past(ctx context.Context, t *message.Tree, line Line) (int, error) {
	c.past = make(map[string]pastFile)
	c.begin()
	met, err := c.Store.Events(ctx, c.Session)
	if err != nil {
		return 0, err
	}
	done := 0
	for i := range t.Nodes { // in the order of the file, which is that of time
		ok, err := c.pastResult(ctx, t, &t.Nodes[i], len(met) == 0, line)
		if err != nil {
			return done, err
		}
		if ok {
			done++
		}
	}
	if err := c.submit(ctx); err != nil {
		return done, err
	}
	_, err = c.Store.ByKey(ctx, ChatKey(c.Session))
	if err != nil && !errors.Is(err, ErrUnknown) || err == nil && done == 0 {
		return done, err
	}
	return done, c.Chat(ctx, t, t.Leaf(), line)
}

// pastResult captures an entry that is an uncaptured result. For a new session it skips the
// query whether the entry is captured.
func (c *Capture) pastResult(ctx context.Context, t *message.Tree, n *message.Node, isNew bool, line Line) (bool, error) {
	if err := ctx.Err(); err != nil || !isResult(n) {
		return false, err
	}
	if !isNew {
		if _, err := c.Store.ByKey(ctx, c.key(n)); !errors.Is(err, ErrUnknown) {
			return false, err
		}
	}
	path := t.Path(n.ID)
	if len(path) == 0 || path[len(path)-1] != n { // another entry has its id
		return false, nil
	}
	return c.result(ctx, path, len(path)-1, line)
}

// at is when something recorded at an entry became known: the entry's time in a past
// session, else 0 for now.
func (c *Capture) at(n *message.Node) Time {
	if c.past == nil {
		return 0
	}
	return timeOf(n)
}

// pastFileOf captures what a call of a past session says about a file: what it read or wrote,
// and the result of an edit of known content. An edit of unknown content makes a version
// without content.
func (c *Capture) pastFileOf(ctx context.Context, n *message.Node, args jsontext.Value, text []byte) ([]string, error) {
	acc := tool.AccessOf(n.Message.ToolName, args, c.CWD)
	if acc.Path == "" || !acc.Reads && !acc.Writes || acc.Reads && text == nil {
		return nil, nil
	}
	look := c.Files.Look(acc.Path)
	if !look.File {
		return nil, nil
	}
	f := fileOp{Capture: c, look: look, leaf: n.ID, key: FileKey("", look.Path)}
	var err error
	if f.id, _, err = c.id(ctx, f.key); err != nil {
		return nil, err
	}
	content, lines, known := c.pastContent(acc, look.Path, args, text)
	if !known {
		c.record(f.id, f.key, Activated, n.ID)
		return []string{f.id}, nil
	}
	if n.Message.Content.Images > 0 || len(content) > MaxContent || bytes.IndexByte(content, 0) >= 0 {
		content, lines = nil, nil
	}
	d := f.document(content)
	d.File.Lines = lines
	c.put(f.id, f.key, Op{Doc: d, At: c.at(n)}, Activated, n.ID)
	return []string{f.id}, nil
}

// pastContent returns the content of a file after a call, nil when it cannot be determined,
// and the lines that this is of the file, nil for all. known is false when the call says
// nothing new.
func (c *Capture) pastContent(acc tool.Access, path string, args, text []byte) (content []byte, lines *Lines, known bool) {
	was, seen := c.past[path]
	if acc.Writes {
		now := was.changed(args)
		c.past[path] = now
		return now.content, now.lines, true
	}
	part, l := shownPart(acc, text)
	now := pastFile{part, &l}
	switch {
	case acc.First <= 1 && acc.Last == 0 && len(part) == len(text):
		now.lines = nil
	case seen && was.lines == nil && bytes.Contains(was.content, bytes.TrimRight(part, "\n")):
		return nil, nil, false
	}
	c.past[path] = now
	return now.content, now.lines, true
}

// pastFile is what is known of a file at a time in the past: its content, nil for none, or
// these lines of it.
type pastFile struct {
	content []byte
	lines   *Lines
}

// changed returns the file after a call: what it writes, or its edits made to what was
// known, which is then known as well.
func (f pastFile) changed(args []byte) pastFile {
	var p struct {
		edit
		Content *string `json:"content"`
		Edits   edits   `json:"edits"`
	}
	if err := json.Unmarshal(args, &p); err != nil {
		return pastFile{}
	}
	if p.Content != nil {
		return pastFile{content: []byte(*p.Content)}
	}
	if p.Old != "" {
		p.Edits = append(p.Edits, p.edit)
	}
	if f.content == nil || len(p.Edits) == 0 {
		return pastFile{}
	}
	out, ok := edited(string(f.content), p.Edits)
	if !ok {
		return pastFile{}
	}
	f.content = []byte(out)
	if f.lines != nil {
		f.lines = &Lines{f.lines.First, f.lines.First + strings.Count(strings.TrimSuffix(out, "\n"), "\n")}
	}
	return f
}

package pi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Keep appends the entries of a session that pi keeps in memory to a file, in pi's format.
// It skips the entries in known, and writes a header if known is empty.
func Keep(path string, known *message.Tree, entries []jsontext.Value, head message.Header) error {
	var text []byte
	if len(known.Nodes) == 0 {
		text = fmt.Appendf(text, "{\"type\":\"session\",\"version\":3,\"id\":%q,\"timestamp\":%q,\"cwd\":%s}\n",
			head.ID, time.UnixMilli(head.Time).UTC().Format(time.RFC3339Nano), message.AppendQuote(nil, head.CWD))
	}
	var parser message.Parser
	for _, raw := range entries {
		e, err := parser.ParseEntry(raw)
		if err == nil && e.ID != "" && known.Lookup(e.ID) == nil && bytes.IndexByte(raw, '\n') < 0 {
			text = append(append(text, raw...), '\n')
		}
	}
	return appendFile(path, text)
}

// appendFile appends lines to a private file, creating its directory. If a killed process
// left the last line unfinished, it is ended first so that it does not corrupt the next
// one.
func appendFile(path string, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	last := make([]byte, 1)
	if st, serr := f.Stat(); serr == nil && st.Size() > 0 {
		if _, rerr := f.ReadAt(last, st.Size()-1); rerr == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// Compaction is an entry that replaces the messages before another entry by a summary.
type Compaction struct {
	ID, Parent string
	Time       time.Time
	Summary    string
	Kept       string      // the first entry that is not replaced
	Before     token.Count // the size of the context before
	Details    any         // marshalled as JSON; pi stores but does not read it
}

// Line returns the entry as pi writes it for an extension, without a line end.
func (c Compaction) Line() ([]byte, error) {
	return json.Marshal(struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Parent  string `json:"parentId"`
		Time    string `json:"timestamp"`
		Summary string `json:"summary"`
		Kept    string `json:"firstKeptEntryId"`
		Before  int    `json:"tokensBefore"`
		Details any    `json:"details"`
		Hook    bool   `json:"fromHook"`
	}{"compaction", c.ID, c.Parent, text.KnownTime(c.Time.UnixMilli()), c.Summary, c.Kept, int(c.Before), c.Details, true})
}

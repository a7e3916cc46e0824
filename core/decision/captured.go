package decision

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
)

// CapturedType is the type of the entries that record which prompts were processed.
const CapturedType = "pictx.captured"

// Prompts is the data of an CapturedType entry: the ids of the prompts' entries.
type Prompts struct {
	Entries []string `json:"entries"`
}

// Marked returns the marked lines in the prompts of the last run up to a leaf, and the entries
// of those prompts. There are none in a run that failed or was aborted, and in prompts that were
// processed before. For an answer that came late, when the next run may have begun, entries
// names the prompts.
func Marked(s message.Session, leaf string, entries []string) (all []Candidate, from []string, err error) {
	prompts := lastRun(s, leaf)
	if len(entries) > 0 {
		prompts = nil
		for _, id := range entries {
			if n := s.Entries().Lookup(id); n != nil && n.Type == message.EntryMessage && n.Message.Role == message.RoleUser {
				prompts = append(prompts, n)
			}
		}
	}
	for _, n := range prompts {
		raw, err := s.Line(n)
		if err != nil {
			return nil, nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		if found := Candidates(string(n.AppendBody(nil, raw))); len(found) > 0 {
			all, from = append(all, found...), append(from, n.ID)
		}
	}
	return all, from, nil
}

// lastRun returns the prompts of the last run of a session up to a leaf, back to the one that
// began it. A prompt sent while the agent was working belongs to the same run.
func lastRun(s message.Session, leaf string) (prompts []*message.Node) {
	path := s.Entries().Path(leaf)
	var seen []string
	last := true
	for i, n := range slices.Backward(path) {
		switch head := &n.Message; {
		case n.Type == message.EntryCustom && head.CustomType == CapturedType:
			seen = append(seen, capturedIn(s, n)...)
		case n.Type != message.EntryMessage:
		case head.Role == message.RoleAssistant:
			if last && gaveUp(head.StopReason) {
				return nil
			}
			last = false
		case head.Role == message.RoleUser:
			prompts = slices.Insert(prompts, 0, n)
			if beginsRun(path[:i]) {
				return slices.DeleteFunc(prompts, func(n *message.Node) bool { return slices.Contains(seen, n.ID) })
			}
		}
	}
	return nil
}

func gaveUp(stopReason string) bool { return stopReason == "error" || stopReason == "aborted" }

// beginsRun reports whether a prompt after this path began a run: nothing precedes it, or a
// response that called no tools, failed or was aborted.
func beginsRun(path []*message.Node) bool {
	for _, n := range slices.Backward(path) {
		if n.Type != message.EntryMessage {
			continue
		}
		switch n.Message.Role {
		case message.RoleAssistant:
			return len(n.Message.Calls) == 0 || gaveUp(n.Message.StopReason)
		case message.RoleToolResult, message.RoleUser:
			return false
		}
	}
	return true
}

// capturedIn reads from an entry which prompts were processed.
func capturedIn(s message.Session, n *message.Node) []string {
	raw, err := s.Line(n)
	if err != nil {
		return nil
	}
	var e struct {
		Data Prompts `json:"data"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return nil
	}
	return e.Data.Entries
}

// ID identifies a candidate in an answer. It depends only on the text.
func (c Candidate) ID() string {
	const digits = 12
	sum := sha256.Sum256([]byte(c))
	return hex.EncodeToString(sum[:])[:digits]
}

// Keep adds candidates with a status, and what a person said about each, and returns their ids.
// It skips texts that look like keys, and those that the log already has.
func (e *Editor) Keep(texts []Candidate, status Status, answers []Addition) ([]string, error) {
	var ids []string
	for i, c := range texts {
		if len(Secrets(string(c))) > 0 || e.State.Same(string(c), Active, Draft) != nil {
			continue
		}
		id, err := e.Enter(New{Text: string(c), Status: status, Rest: jsontext.Value(`{"so":"prompt"}`)}, answers[i], true)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

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

// Prompt is a user prompt with the id of its entry.
type Prompt struct{ Entry, Text string }

// Run is the last run of an agent.
type Run struct {
	Prompts []Prompt // oldest first
	// Failed is set when the run ended with an error or was aborted.
	Failed bool
	// Seen are the ids of prompts that were processed before.
	Seen []string
}

// LastRun reads the last run of a session up to a leaf, back to the prompt that began it. A
// prompt sent while the agent was working belongs to the same run.
func LastRun(s message.Session, leaf string) (Run, error) {
	var r Run
	path := s.Entries().Path(leaf)
	last := true
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		head := &n.Message
		switch {
		case n.Type == message.EntryCustom && head.CustomType == CapturedType:
			r.Seen = append(r.Seen, capturedIn(s, n)...)
		case n.Type != message.EntryMessage:
		case head.Role == message.RoleAssistant:
			if last {
				r.Failed = gaveUp(head.StopReason)
			}
			last = false
		case head.Role == message.RoleUser:
			p, err := promptOf(s, n)
			if err != nil {
				return r, err
			}
			r.Prompts = append([]Prompt{p}, r.Prompts...)
			if beginsRun(path[:i]) {
				return r, nil
			}
		}
	}
	return r, nil
}

// RunOf returns the prompts with these entries as a run. It is for an answer that came
// late: the next run may have begun meanwhile.
func RunOf(s message.Session, entries []string) (Run, error) {
	var r Run
	for _, id := range entries {
		n := s.Entries().Lookup(id)
		if n == nil || n.Type != message.EntryMessage || n.Message.Role != message.RoleUser {
			continue
		}
		p, err := promptOf(s, n)
		if err != nil {
			return r, err
		}
		r.Prompts = append(r.Prompts, p)
	}
	return r, nil
}

// promptOf reads the prompt in an entry.
func promptOf(s message.Session, n *message.Node) (Prompt, error) {
	raw, err := s.Line(n)
	if err != nil {
		return Prompt{}, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	return Prompt{n.ID, string(n.AppendBody(nil, raw))}, nil
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

// Candidates returns the marked lines in prompts that were not processed before, and the entries of those prompts.
func (r Run) Candidates() (all []Candidate, entries []string) {
	for _, p := range r.Prompts {
		if found := Candidates(p.Text); len(found) > 0 && !slices.Contains(r.Seen, p.Entry) {
			all, entries = append(all, found...), append(entries, p.Entry)
		}
	}
	return all, entries
}

// ID identifies a candidate in an answer. It depends only on the text.
func (c Candidate) ID() string {
	const digits = 12
	sum := sha256.Sum256([]byte(c))
	return hex.EncodeToString(sum[:])[:digits]
}

// Chosen returns the candidates whose ids an answer names.
func Chosen(list []Candidate, ids []string) []Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c Candidate) bool { return !slices.Contains(ids, c.ID()) })
}

// Captured are candidates to add, with a status and what a person said about each.
type Captured struct {
	Texts   []Candidate
	Status  Status
	Answers []Addition
}

// Keep adds candidates and returns their ids. It skips texts that look like keys, and those
// that the log already has.
func (e *Editor) Keep(all Captured) ([]string, error) {
	fresh := e.State.Fresh(all.Texts)
	var ids []string
	for i, c := range all.Texts {
		if len(Secrets(string(c))) > 0 || !slices.Contains(fresh, c) {
			continue
		}
		id, err := e.Enter(New{Text: string(c), Status: all.Status, Rest: jsontext.Value(`{"so":"prompt"}`)}, all.Answers[i], true)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

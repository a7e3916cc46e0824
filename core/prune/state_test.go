package prune_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/internal/must"
)

// stateEntry is an entry that carries changes of state.
func stateEntry(t *testing.T, id, parent string, changes ...state.Change) string {
	t.Helper()
	data := must.Get(json.Marshal(state.Data{States: changes}))(t)
	return entry("custom", id, parent, fmt.Sprintf(`"customType":%q,"data":%s`, state.Entry, data))
}

func off(object string, at int64, entries ...string) state.Change {
	return state.Change{Op: state.Deactivate, Object: object, Entries: entries, Time: at}
}

func on(object, call string, at int64, entries ...string) state.Change {
	return state.Change{Op: state.Activate, Object: object, Call: call, Entries: entries, Time: at}
}

// states are what was said of objects at a leaf, as "inactive | active".
func states(t *testing.T, b *prune.Branch, stored ...state.Change) (text string, carry int) {
	t.Helper()
	s, more, err := b.States(stored)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(s.Inactive, " ") + " | " + strings.Join(s.Active, " "), len(more)
}

// Holds objects 37.
func TestStatesFollowTheBranch(t *testing.T) {
	s := openText(t, sessionText(3,
		stateEntry(t, "p1", "r1", off("o0", 1, "r0")),
		stateEntry(t, "p2", "p1", off("o1", 2, "r1"), on("o0", "c9", 3)),
		entry("message", "a9", "p2", `"message":{"role":"assistant","content":[{"type":"toolCall","id":"c9","name":"activate","arguments":{"id":"o0"}}],"stopReason":"toolUse"}`),
		entry("message", "r9", "a9", `"message":{"role":"toolResult","toolCallId":"c9","toolName":"activate","content":[{"type":"text","text":"x"}],"isError":false}`),
		stateEntry(t, "p3", "r9", off("o0", 4)),
		stateEntry(t, "p4", "p3", on("o0", "", 5)),
	))
	for leaf, want := range map[string]string{
		"r0": " | ", "r2": " | ", "p1": "r0 | ", "p2": "r1 | r0", "r9": "r1 | r0 r9",
		"p3": "r1 r0 r9 | ", "p4": "r1 | r0 r9",
	} {
		if got, carry := states(t, branchOf(t, s, leaf, nil)); got != want || carry != 0 {
			t.Errorf("at %s: %q, %d to carry, want %q", leaf, got, carry, want)
		}
	}
}

func TestDeactivationsFromTheShellAreCarriedOnce(t *testing.T) {
	shell := off("o0", 9, "r0")
	s := openText(t, sessionText(2, stateEntry(t, "p1", "r0", off("o1", 2, "r1"))))
	if got, carry := states(t, branchOf(t, s, "r1", nil), shell); got != "r0 | " || carry != 1 {
		t.Errorf("%q, %d to carry", got, carry)
	}
	s = openText(t, sessionText(2, stateEntry(t, "p1", "r1", shell)))
	if got, carry := states(t, branchOf(t, s, "p1", nil), shell); got != "r0 | " || carry != 0 {
		t.Errorf("%q, %d to carry", got, carry)
	}
	// The session went to another branch since: it is not said there.
	if got, carry := states(t, branchOf(t, s, "r1", nil), shell); got != " | " || carry != 0 {
		t.Errorf("on another branch: %q, %d to carry", got, carry)
	}
}

func TestAFailedActivationBringsNothingBack(t *testing.T) {
	s := openText(t, sessionText(1,
		stateEntry(t, "p1", "r0", off("o0", 1, "r0"), on("o0", "c9", 2)),
		entry("message", "r9", "p1", `"message":{"role":"toolResult","toolCallId":"c9","toolName":"activate","content":[],"isError":true}`),
	))
	if got, _ := states(t, branchOf(t, s, "r9", nil)); got != " | r0" {
		t.Errorf("%q", got)
	}
}

func TestMalformedStatesInASessionAreIgnored(t *testing.T) {
	for text, want := range map[string]int{
		`{"type":"custom","data":{"states":[{"op":"deactivate","object":"o","entries":["a"],"time":3},{"op":"deactivate","object":"p","entries":["a",7]}]}}`: 1,
		`{"type":"custom","data":{"states":[{"op":"delete","object":"o"},{"op":"activate"},7,null]}}`:                                                        0,
		`{"type":"custom","data":{"states":{}}}`: 0,
		`{"type":"custom","data":[]}`:            0,
		`{"type":"custom"}`:                      0,
	} {
		got := state.Parse([]byte(text))
		must.Equal(t, len(got), want, "%s: %+v", text, got)
		if want == 1 {
			must.Match(t, got[0], off("o", 3, "a"), "what differs")
		}
	}
}

func FuzzParseStates(f *testing.F) {
	f.Add([]byte(`{"data":{"states":[{"op":"activate","object":"o","call":"c","entries":["e"],"time":1}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range state.Parse(data) {
			must.Not(t, c.Object == "" || c.Time < 0, "%+v", c)
		}
	})
}

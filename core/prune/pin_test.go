package prune_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
)

// pinEntry is an entry that carries pins.
func pinEntry(t *testing.T, id, parent string, pins ...prune.Pin) string {
	t.Helper()
	data := must.Get(json.Marshal(prune.PinsData{Pins: pins}))(t)
	return entry("custom", id, parent, fmt.Sprintf(`"customType":%q,"data":%s`, prune.PinsEntry, data))
}

// targets are what pins name.
func targets(pins []prune.Pin) string {
	var out []string
	for _, p := range pins {
		out = append(out, p.Target)
	}
	return strings.Join(out, " ")
}

func pinned(t *testing.T, b *prune.Branch, stored ...prune.Pin) (inForce, carry string) {
	t.Helper()
	latest, more, err := b.LatestPins(stored)
	if err != nil {
		t.Fatal(err)
	}
	return targets(prune.InForce(latest)), targets(more)
}

func TestPinsFollowTheBranch(t *testing.T) {
	s := openText(t, sessionText(2,
		pinEntry(t, "p1", "r0", prune.Pin{Target: "r0", Reason: "the plan", Time: 1}),
		pinEntry(t, "p2", "p1", prune.Pin{Target: "docs/**", IsPath: true, Time: 2}),
		pinEntry(t, "p3", "p2", prune.Pin{Target: "r0", Removed: true, Time: 3}),
		pinEntry(t, "p4", "p3", prune.Pin{Target: "r0", Reason: "again", Time: 4}),
	))
	for leaf, want := range map[string]string{"r0": "", "r1": "", "p1": "r0", "p2": "r0 docs/**", "p3": "docs/**", "p4": "docs/** r0"} {
		if got, carry := pinned(t, branchOf(t, s, leaf, nil)); got != want || carry != "" {
			t.Errorf("at %s: %q is pinned, %q is to carry, want %q", leaf, got, carry, want)
		}
	}
	pins, _, _ := branchOf(t, s, "p2", nil).LatestPins(nil)
	must.Match(t, pins, []prune.Pin{{Target: "r0", Reason: "the plan", Time: 1}, {Target: "docs/**", IsPath: true, Time: 2}}, "what it says")
}

func TestPinsFromTheShellAreCarriedOnce(t *testing.T) {
	s := openText(t, sessionText(2,
		pinEntry(t, "p1", "r0", prune.Pin{Target: "r0", Time: 10}),
		pinEntry(t, "p2", "r1", prune.Pin{Target: "r1", Time: 20}),
	))
	at := func(leaf string, stored ...prune.Pin) string {
		got, carry := pinned(t, branchOf(t, s, leaf, nil), stored...)
		return got + "; " + carry
	}
	for name, c := range map[string]struct {
		leaf   string
		stored prune.Pin
		want   string
	}{
		"new":                          {"p1", prune.Pin{Target: "f*", IsPath: true, Time: 5}, "r0 f*; f*"},
		"there already":                {"p1", prune.Pin{Target: "r0", Time: 10}, "r0; "},
		"older":                        {"p1", prune.Pin{Target: "r0", Time: 9}, "r0; "},
		"on another branch":            {"p1", prune.Pin{Target: "r1", Time: 20}, "r0; "},
		"pinned anew":                  {"r1", prune.Pin{Target: "r1", Time: 21}, "r1; r1"},
		"unpinned":                     {"p1", prune.Pin{Target: "r0", Removed: true, Time: 11}, "; r0"},
		"unpinned before":              {"p1", prune.Pin{Target: "r0", Removed: true, Time: 9}, "r0; "},
		"a path of the same name":      {"p1", prune.Pin{Target: "r0", IsPath: true, Time: 1}, "r0 r0; r0"},
		"unpinned, and nowhere pinned": {"r0", prune.Pin{Target: "zz", Removed: true, Time: 1}, "; zz"},
	} {
		must.Equal(t, at(c.leaf, c.stored), c.want, "%s", name)
	}
	if got, carry := pinned(t, &prune.Branch{}, prune.Pin{Target: "a"}); got != "a" || carry != "a" {
		t.Errorf("a session without a file: %q, %q", got, carry)
	}
}

func TestUnpinnedEntriesAreReleasedAndUnpinnedPathsForgotten(t *testing.T) {
	p := prune.PinsOf([]prune.Pin{{Target: "e1", Removed: true}, {Target: "docs/**", IsPath: true, Removed: true}})
	must.Not(t, len(p.Paths) > 0 || !slices.Equal(p.Released, []string{"e1"}), "%+v", p)
}

func TestForgedPinsInASessionAreIgnored(t *testing.T) {
	var lines []string
	parent := "r0"
	for i, data := range []string{
		`null`, `7`, `{}`, `{"pins":7}`, `{"pins":[null,7,"x",[]]}`, `{"pins":[{}]}`, `{"pins":[{"target":7}]}`, `{"pins":[{"target":""}]}`,
		`{"pins":[{"target":"r0","is_path":"true","removed":1,"time":-1}]}`, `{"pins":[{"target":"r1","time":99999999999999999999999999}]}`,
	} {
		id := fmt.Sprintf("p%d", i)
		lines = append(lines, entry("custom", id, parent, fmt.Sprintf(`"customType":%q,"data":%s`, prune.PinsEntry, data)))
		parent = id
	}
	lines = append(lines, entry("custom", "last", parent, fmt.Sprintf(`"customType":%q`, prune.PinsEntry)))
	pins, _, err := branchOf(t, openText(t, sessionText(1, lines...)), "last", nil).LatestPins(nil)
	if want := []prune.Pin{{Target: "r0"}, {Target: "r1"}}; err != nil || !slices.Equal(pins, want) {
		t.Errorf("%+v, %v", pins, err)
	}
}

func TestLastSummaryIsFromAToolThatSummarizes(t *testing.T) {
	result := func(id, parent, tool string, failed bool) string {
		return entry("message", id, parent, fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[],"isError":%v,"timestamp":1}`, id, tool, failed))
	}
	s := openText(t, sessionText(1, result("k1", "r0", "kota_impact", false), result("k2", "k1", "kota_impact", true), result("k3", "k2", "bash", false)))
	for leaf, want := range map[string][2]string{"k3": {"k1", "k3"}, "k1": {"k1", "k1"}, "r0": {"", "r0"}, "u0": {"", ""}} {
		b := branchOf(t, s, leaf, nil)
		must.Equal(t, [2]string{b.LastSummary(), b.LastResult()}, want, "at %s", leaf)
	}
}

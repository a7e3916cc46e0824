package record_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/record"
	"github.com/coctostan/pictx/internal/decisiontest"
	"github.com/coctostan/pictx/internal/must"
)

// edit changes the text of a decision.
func edit(l *decisiontest.Log, id, text string) {
	l.Change(func(e *decision.Editor) error {
		d, err := e.State.Find(id)
		if err != nil {
			return err
		}
		return e.Edit(d, decision.Change{Text: &text})
	})
}

// Holds decisions 83.
func TestRecordsRoundTrip(t *testing.T) {
	b := decisiontest.New(t)
	b.Add(decision.New{
		Text: "Use tabs\n\n# not a heading\n<!-- pictx 0123 -->\n- a list", Reason: "gofmt\ndoes", Tags: []string{"style", "go"},
		Paths: []string{"src/**", "*.go"}, Review: "2027-01-01",
	})
	first := b.State().Decisions[0].ID
	b.Add(decision.New{Text: "Use spaces: all of them", Supersedes: first, Reason: "- editors"})
	s := b.State()
	for _, form := range []string{record.FormADR, record.FormMADR} {
		records := record.Files(s, s.Present(), form, nil)
		for i, r := range records {
			d := s.Decisions[i]
			im, err := record.Parse(r.Name, r.Text)
			if err != nil {
				t.Fatal(err)
			}
			if im.Text != d.Text || im.Reason != d.Reason || !slices.Equal(im.Tags, d.Tags) || !slices.Equal(im.Paths, d.Paths) ||
				im.Review != d.Review || im.ID != d.ID || im.Was != d.Status || im.Number != i+1 {
				t.Errorf("%s: %+v\nof %s", form, im, r.Text)
			}
			if again := record.Files(s, s.Present(), form, nil)[i]; again != r {
				t.Errorf("%s: another record of the same", form)
			}
		}
		names := records[0].Name
		edit(b, first, "Another title")
		known := map[string]string{first: records[0].Name}
		must.Equal(t, record.Files(b.State(), b.State().Present(), form, known)[0].Name, names, "%s: the name was %s and", form, names)
		edit(b, first, s.Decisions[0].Text)
	}
}

func TestARecordKeepsItsTitleConsequencesAndDay(t *testing.T) {
	foreign := "# 7. Use events\n\nDate: 2024-03-01\n\n## Status\n\nRejected\n\n## Context\n\nWhy\n\n## Decision\n\nWe use a broker.\n\n## Consequences\n\nOne more service.\n"
	b := decisiontest.New(t)
	for range 2 { // the second time it exists already
		f, err := record.Read("7.md", foreign)
		if err != nil {
			t.Fatal(f, err)
		}
		b.Change(func(e *decision.Editor) error {
			_, err := record.Import(e, []record.Item{f}, false)
			return err
		})
	}
	other, err := record.Read("", strings.Replace(foreign, "Use events", "Use queues", 1))
	if err != nil {
		t.Fatal(err)
	}
	b.Change(func(e *decision.Editor) error {
		did, err := record.Import(e, []record.Item{other}, false)
		if err == nil && !did[0].Added {
			t.Errorf("another title with the same text is known: %v", did)
		}
		return err
	})
	s := b.State()
	d := s.Decisions[0]
	if len(s.Decisions) != 2 || d.Status != decision.Rejected || d.OwnTitle() != "Use events" || d.Consequences != "One more service." || d.Decided != "2024-03-01" || !strings.Contains(d.Line(), "Use events: We use a broker.") {
		t.Fatalf("%d decisions, %+v", len(s.Decisions), d)
	}
	edit(b, d.ID, "We use a log.")
	must.Equal(t, b.State().Decisions[0].OwnTitle(), "Use events", "after an edit the title")
}

// adr-tools lists files named NNNN-title.md and reads the title from the first line.
func TestRecordsAreNamedAndHeadedAsADRToolsExpects(t *testing.T) {
	b := decisiontest.New(t)
	b.Add(decision.New{Text: "Use tabs"})
	b.Add(decision.New{Text: "Use UTC"})
	s := b.State()
	known := map[string]string{s.Decisions[0].ID: "0004-use-something.md"}
	all := record.Files(s, s.Present(), record.FormADR, known)
	if all[0].Name != "0004-use-something.md" || all[1].Name != "0005-use-utc.md" {
		t.Errorf("names %s and %s", all[0].Name, all[1].Name)
	}
	s.Decisions[0].SupersededBy, s.Decisions[0].Status = s.Decisions[1].ID, decision.Superseded
	both := record.Files(s, s.Present(), record.FormADR, known)
	if !strings.Contains(both[0].Text, "\nSuperseded by [5. Use UTC](0005-use-utc.md)\n") || !strings.Contains(both[1].Text, "\nSupersedes [4. Use tabs](0004-use-something.md)\n") {
		t.Errorf("adr generate graph reads no links from\n%s%s", both[0].Text, both[1].Text)
	}
	for _, part := range []string{"# 5. Use UTC\n", "\n## Status\n\nAccepted\n", "\n## Context\n", "\n## Decision\n", "\n## Consequences\n"} {
		must.Contain(t, all[1].Text, part, "what it says")
	}
}

func TestStatusesAreReadAsPeopleWriteThem(t *testing.T) {
	for status, want := range map[string]decision.Status{
		"Accepted": decision.Active, "**Accepted**": decision.Active, "✅ Accepted": decision.Active, "2021-02-03 Accepted": decision.Active,
		"2021-02-03: accepted": decision.Active, "Status: Accepted": decision.Active, "~~Proposed~~ Accepted": decision.Active,
		"Proposed → Accepted": decision.Active, "Accepted/Implemented": decision.Active, "- [x] Accepted": decision.Active,
		"- [ ] Proposed\n- [x] Accepted": decision.Active, "<!-- one of proposed, rejected -->\naccepted": decision.Active,
		"![status](https://img.shields.io/badge/status-accepted-green)": decision.Active, "Accepted (2021-02-03)": decision.Active,
		"| Status | Date |\n|---|---|\n| Rejected | 2022-01-01 |": decision.Rejected, "| Status | Accepted |": decision.Active,
		"❌ Rejected": decision.Rejected, "Declined": decision.Rejected, "📝 Draft": decision.Draft, "**Status**: proposed": decision.Draft,
		"Accepted\n\nAccepted by the board": decision.Active, "Accepted\n\nSuperseded by [3](0003-x.md)\n\nRejected": decision.Superseded,
		"Superseded by [3](0003-x.md)": decision.Superseded, "Deprecated": decision.Superseded,
		"accepted by the team, pending legal": "", "not accepted": "", "Proposed\n\nAccepted": "", "Proposed\n\n### 2022\n\nAccepted": "", "* 2020-01-01 accepted\n* 2021-02-03 deprecated": "", "under discussion": "", "We met and it was accepted": "",
	} {
		f, err := record.Read("0016-use-grpc.md", "# ADR-0016: Use gRPC\n\n## Status\n\n"+status+"\n\n## Decision\n\nUse it.\n")
		if err != nil || f.Was != want || f.Title != "Use gRPC" {
			t.Errorf("%q: %+v, want %q: %v", status, f, want, err)
			continue
		}
		if left := f.Left(); (want == "") != strings.HasPrefix(left, "unknown status") {
			t.Errorf("%q: reported %q", status, left)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# 1. T\n\n## Status\nx\n## Decision\n\ny\n")
	f.Add("---\n---\n---\n- a\n  b\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		if im, err := record.Parse("1.md", text); err == nil && strings.TrimSpace(im.Text) == "" {
			t.Errorf("a record without a text: %q", text)
		}
	})
}

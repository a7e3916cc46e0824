package decision

import (
	"slices"
	"strings"
	"testing"
)

// Holds decisions 83.
func TestRecordsComeBackAsTheyWere(t *testing.T) {
	b := newBook(t)
	b.add(New{
		Text: "Use tabs\n\n# not a heading\n<!-- pictx 0123 -->\n- a list", Reason: "gofmt\ndoes", Tags: []string{"style", "go"},
		Paths: []string{"src/**", "*.go"}, Review: "2027-01-01",
	})
	first := b.state().Decisions[0].ID
	b.add(New{Text: "Use spaces: all of them", Supersedes: first, Reason: "- editors"})
	s := b.state()
	for _, form := range []string{FormADR, FormMADR} {
		records := Records(s, s.Present(), form)
		for i, r := range records {
			d := s.Decisions[i]
			im, err := ParseRecord(r.Text)
			if err != nil {
				t.Fatal(err)
			}
			if im.Text != d.Text || im.Reason != d.Reason || !slices.Equal(im.Tags, d.Tags) || !slices.Equal(im.Paths, d.Paths) ||
				im.Review != d.Review || im.Supersedes != d.Supersedes || im.ID != d.ID || im.Was != d.Status {
				t.Errorf("%s: %+v\nof %s", form, im, r.Text)
			}
			if !Sealed(r.Text) || Sealed(r.Text+"x") || Sealed(strings.Replace(r.Text, "e", "E", 1)) {
				t.Errorf("%s: the seal of %s", form, r.Text)
			}
			if again := Records(s, s.Present(), form)[i]; again != r {
				t.Errorf("%s: another record of the same", form)
			}
		}
		names := records[0].Name
		b.do(first, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: ptr("Another title")}) })
		if got := Records(b.state(), b.state().Present(), form)[0].Name; got != names {
			t.Errorf("%s: the name was %s and is %s", form, names, got)
		}
		b.do(first, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: &s.Decisions[0].Text}) })
	}
}

func TestRecordsOfOthersAreRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# 12. Use events\n\n## Status\n\nSuperseded by [13](13.md)\n\n## Context\n\nWhy\n\n## Decision\n\nWe use events.\n", "superseded|Use events|We use events.|Why"},
		{"---\nstatus: \"accepted\"\ndate: 2024-01-01\n---\n# Use events\n\n## Context and Problem Statement\n\nWhy?\n\n## Decision Outcome\n\nChosen: events\n", "active|Use events|Chosen: events|Why?"},
		{"# Use events\n\n* Status: proposed\n\n## Decision\n\nEvents\n", "draft|Use events|Events|"},
		{"# Only a title\n", "|Only a title|Only a title|"},
	} {
		im, err := ParseRecord(c.text)
		if got := strings.Join([]string{string(im.Was), im.Title, im.Text, im.Reason}, "|"); got != c.want || err != nil {
			t.Errorf("%q, want %q: %v", got, c.want, err)
		}
	}
	if _, err := ParseRecord("\n\n"); err == nil {
		t.Error("nothing is a record")
	}
}

func FuzzRecordsAndBulletsAreReadWhateverTheyHold(f *testing.F) {
	f.Add("# 1. T\n\n## Status\nx\n## Decision\n\ny\n")
	f.Add("---\n---\n---\n- a\n  b\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		if im, err := ParseRecord(text); err == nil && strings.TrimSpace(im.Text) == "" {
			t.Errorf("a record without a text: %q", text)
		}
		for _, im := range ParseBullets(text) {
			if im.Line < 1 {
				t.Errorf("line %d", im.Line)
			}
		}
		Candidates(text, 0)
	})
}

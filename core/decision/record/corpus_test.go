package record_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/record"
	"github.com/coctostan/pictx/internal/decisiontest"
	"github.com/coctostan/pictx/internal/must"
)

// corpus returns the files of a directory of records as other tools write them.
func corpus(t *testing.T, form string) []record.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", form, "*.md"))
	if err != nil || len(paths) < 4 {
		t.Fatal(paths, err)
	}
	out := make([]record.File, len(paths))
	for i, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = record.File{Name: filepath.Base(p), Text: string(b)}
	}
	return out
}

// imported returns a new log with the decisions of files.
func imported(t *testing.T, files []record.File) *decisiontest.Log {
	t.Helper()
	var items []record.Item
	for _, f := range files {
		found, err := record.Read(f.Name, f.Text)
		if err != nil {
			t.Fatal(f.Name, err)
		}
		items = append(items, found)
	}
	b := decisiontest.New(t)
	b.Random.Seed([32]byte{byte(len(files[0].Text))})
	b.Change(func(e *decision.Editor) error {
		did, err := record.Import(e, items, true)
		for i, d := range did {
			if !d.Added {
				t.Errorf("%s was not added: %v", items[i].Name, d.Err)
			}
		}
		return err
	})
	return b
}

// exported returns all decisions of a log as files of a form.
func exported(b *decisiontest.Log, form string) []record.File {
	s := b.State()
	return record.Files(s, s.Present(), form, nil)
}

// Holds decisions 83.
func TestRecordsOfOthersAreTheSameAfterExportImportExport(t *testing.T) {
	for _, from := range []string{record.FormADR, record.FormMADR} {
		b := imported(t, corpus(t, from))
		for _, to := range []string{record.FormADR, record.FormMADR} {
			first := exported(b, to)
			second := exported(imported(t, first), to)
			for i := range first {
				if i >= len(second) || first[i] != second[i] {
					t.Fatalf("%s to %s: %s was\n%s\nand is\n%+v", from, to, first[i].Name, first[i].Text, second[min(i, len(second)-1)])
				}
			}
		}
	}
}

func TestImportedRecordsKeepNumbersLinksAndSections(t *testing.T) {
	for _, c := range []struct {
		form, name string
		want       []string
	}{
		{record.FormADR, "0001-record-architecture-decisions.md", []string{"# 1. Record architecture decisions\n\nDate: 2023-02-12\n", "\nAccepted\n"}},
		{record.FormADR, "0003-store-events-in-files.md", []string{
			"\nSuperseded\n\nSuperseded by [8. Store events in PostgreSQL](0008-store-events-in-postgresql.md)\n", "\n```yaml\n# one event\n## of a day\n",
		}},
		{record.FormADR, "0005-read-events-in-one-process.md", []string{
			"\nSuperseded by [8. Store events in PostgreSQL](0008-store-events-in-postgresql.md)\n\nAmended by [6. Workers](0006-workers.md)\n", "\n### Negative\n\n- it is slow\n",
		}},
		{record.FormADR, "0008-store-events-in-postgresql.md", []string{
			"\nSupersedes [3. Store events in files](0003-store-events-in-files.md)\n\nSupersedes [5. Read events in one process](0005-read-events-in-one-process.md)\n", "\nDeciders: Ada, Grace\n",
		}},
		{record.FormADR, "0009-use-a-cache.md", []string{"\nSuperseded\n\nDeprecated\n\nThe load went away.\n"}},
		{record.FormADR, "0010-offer-soap.md", []string{"\nRejected\n"}},
		{record.FormMADR, "0001-use-madr.md", []string{
			"---\nstatus: accepted\ndate: 2024-05-01\n", "\ndecision-makers: Ada Byron, Grace Hopper\nconsulted: Alan, Edsger\ninformed: everybody\n---\n",
			"\n## Decision Drivers\n\n* people read them\n", "\n### Confirmation\n\nA reviewer looks at each record.\n", "\n### Nygard's form\n\n* Neutral", "\n## More Information\n\nSee <https://adr.github.io/madr/>.\n",
		}},
		{record.FormMADR, "0004-use-jwt.md", []string{"status: \"superseded by [ADR-0005](0005-use-sessions.md)\"\n"}},
		{record.FormMADR, "0005-use-sessions.md", []string{"supersedes: \"[ADR-0004](0004-use-jwt.md)\"\n", "\n### Positive Consequences\n\n* they can be ended\n"}},
		{record.FormMADR, "0006-use-feature-flags.md", []string{"status: proposed\ndate: 2024-10-01\n", "\nDeciders: Ada\n", "\nThis came up in a retrospective.\n", "\n## Links\n\n* Refined by [ADR-0007]"}},
	} {
		all := exported(imported(t, corpus(t, c.form)), c.form)
		i := slices.IndexFunc(all, func(f record.File) bool { return f.Name == c.name })
		if i < 0 {
			t.Errorf("no %s among %d", c.name, len(all))
			continue
		}
		for _, part := range c.want {
			must.Contain(t, all[i].Text, part, "%s", c.name)
		}
	}
}

// Imported records are drafts unless told otherwise. A draft remembers which decisions it
// replaces.
func TestImportedRecordsAreDraftsUntilAccepted(t *testing.T) {
	var items []record.Item
	for _, f := range corpus(t, record.FormMADR) {
		all, err := record.Read(f.Name, f.Text)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, all)
	}
	b := decisiontest.New(t)
	b.Change(func(e *decision.Editor) error {
		_, err := record.Import(e, items, false)
		return err
	})
	s := b.State()
	if len(s.With(decision.Draft)) != 3 || len(s.With(decision.Superseded)) != 1 || len(s.With(decision.Active)) != 0 {
		t.Errorf("%v", s.Present())
	}
	old, next := s.Decisions[1], s.Decisions[2]
	if old.SupersededBy != next.ID || next.Supersedes != old.ID {
		t.Errorf("%+v\n%+v", old, next)
	}
}

// A record that is imported alone replaces the record of the log whose number it names.
func TestALinkToARecordOfTheLogIsFound(t *testing.T) {
	all := corpus(t, record.FormADR)
	b := imported(t, all[:1])
	f, err := record.Parse("0002-next.md", "# 2. Next\n\n## Status\n\nAccepted\n\nSupersedes [1. Record architecture decisions](0001-x.md)\n\n## Decision\n\nWe do not.\n")
	if err != nil {
		t.Fatal(err)
	}
	b.Change(func(e *decision.Editor) error {
		_, err := record.Import(e, []record.Item{f}, true)
		return err
	})
	s := b.State()
	if s.Decisions[0].Status != decision.Superseded || s.Decisions[0].SupersededBy != s.Decisions[1].ID {
		t.Errorf("%+v", s.Decisions[0])
	}
}

func TestARecordWithAKeyIsLeftOutOfAnImport(t *testing.T) {
	f, err := record.Parse("1.md", "# 1. Use it\n\n## Decision\n\nWe do.\n\n## Notes\n\npassword = hunter2hunter2\n")
	if err != nil {
		t.Fatal(err)
	}
	b := decisiontest.New(t)
	b.Change(func(e *decision.Editor) error {
		did, err := record.Import(e, []record.Item{f}, true)
		if did[0].Added || did[0].Err == nil {
			t.Errorf("%+v", did)
		}
		return err
	})
}

func FuzzRecordsAreTheSameAfterTheyWereReadBack(f *testing.F) {
	f.Add("Use tabs\n```\n# a\n", "why\n## x\n\\# y", "- a\n\n### b\n~~~", "Status: x")
	f.Fuzz(func(t *testing.T, body, reason, consequences, why string) {
		b := decisiontest.New(t)
		e := &decision.Editor{State: b.State(), Now: b.Now, Random: b.Random}
		id, err := e.Add(decision.New{Text: body, Reason: reason, Consequences: consequences, Record: &decision.Record{Number: 1}}, true)
		if _, bad := decision.Clean("-" + consequences); err != nil || bad != nil {
			return
		}
		if err := e.Place(id, decision.Rejected, why, ""); err != nil {
			return
		}
		s := decision.Replay(e.Events())
		d := s.Decisions[0]
		for _, form := range []string{record.FormADR, record.FormMADR} {
			r := record.Files(s, s.Decisions, form, nil)[0]
			im, err := record.Parse(r.Name, r.Text)
			if err != nil || im.Text != d.Text || im.Reason != d.Reason {
				t.Errorf("%s: %+v %v\nof %q %q\n%s", form, im, err, d.Text, d.Reason, r.Text)
			}
		}
	})
}

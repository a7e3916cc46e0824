package decision

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// randomLog is a log of n changes of every kind, by our events and by those of the
// original, some of them side by side, some lines damaged.
func randomLog(t testing.TB, r *rand.Rand, n int) []byte {
	t.Helper()
	subjects := []string{"database", "tabs", "spaces", "PostgreSQL", "MySQL", "the handlers", "使用数据库", "gofmt", "retries", "v1.2", "наши тесты", "C++"}
	verbs := []string{"Use", "Never use", "Prefer", "Migrate", "Don't rely on", "Document", "🎉"}
	text := func() string {
		s := verbs[r.IntN(len(verbs))] + " " + subjects[r.IntN(len(subjects))]
		for range r.IntN(4) {
			s += " " + []string{"and", "in", "for", "with"}[r.IntN(4)] + " " + subjects[r.IntN(len(subjects))]
		}
		if r.IntN(3) > 0 {
			s += fmt.Sprintf(" %d", r.IntN(50))
		}
		return s
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	random := newChance(byte(r.IntN(256)))
	var data []byte
	var events []Event
	for i := range n {
		now = now.Add(time.Duration(r.IntN(5000)) * time.Millisecond)
		s := Replay(events)
		e := &Editor{State: s, Now: now, Random: random, Actor: "user", By: "Ada", Project: "p1"}
		some := func() *Decision {
			if len(s.Decisions) == 0 {
				return nil
			}
			return s.Decisions[r.IntN(len(s.Decisions))]
		}
		d := some()
		var err error
		switch k := r.IntN(20); {
		case d == nil || k < 9:
			tags := []string{"t"}
			if r.IntN(6) == 0 {
				tags = []string{"pinned"}
			}
			_, err = e.Add(New{Text: text(), Tags: tags, Status: Statuses()[r.IntN(3)]}, true)
		case k < 11:
			_, err = e.Add(New{Text: text(), Supersedes: d.ID, Reason: "better"}, r.IntN(2) == 0)
		case k < 13:
			err = e.Edit(d, Change{Text: ptr(text())})
		case k < 15:
			err = e.Turn(d, Statuses()[r.IntN(4)], "so")
		case k < 16:
			err = e.Remove(d, "old")
		case k < 17 && some() != d:
			err = e.Clash(d, some(), "both")
		case k < 18: // as the original writes, whose ids may come twice
			data = fmt.Appendf(data, `{"v":1,"t":"%s","p":"o","e":"a","i":"D-2026-01-01-%04d","d":{"ti":"%s","tx":"%s","tg":[],"s":"active","sp":null,"c":[]},"u":"user"}`+"\n", Stamp(now), r.IntN(6), text(), text())
		case k < 19:
			data = append(data, []string{"{\"v\":1\n", "\n", "<<<<<<< ours\n", "{\"v\":1,\"t\":\"x\",\"p\":\"p\",\"e\":\"zz\",\"i\":\"D-1\",\"d\":{}}\r\n"}[r.IntN(4)]...)
		default: // about a decision that is not there, or later is
			data = fmt.Appendf(data, `{"v":1,"t":"%s","p":"o","e":"ed","i":"D-2026-01-01-%04d","d":{"tx":"%s"},"u":"user"}`+"\n", Stamp(now), r.IntN(9), text())
		}
		if err == nil {
			data = append(data, Lines(true, e.Events())...)
		}
		if i%25 == 24 && r.IntN(2) == 0 { // what came with a merge is older
			now = now.Add(-time.Minute)
		}
		events = Read(data).Events
	}
	return data
}

// answers is what a state says of a need, in a text.
func answers(l *Log, s *State, need Need) string {
	var b strings.Builder
	fmt.Fprintf(&b, "size %d lines %d whole %v bom %v crlf %v repeated %d project %s damage %v writable %v\n", l.Size, l.Lines, l.Whole, l.BOM, l.CRLF, l.Repeated, l.Project(), l.Damage, l.Writable())
	say := func(d *Decision) string {
		if d == nil {
			return "none"
		}
		keys := ""
		for _, e := range d.Events() {
			keys += fmt.Sprintf(" %s/%d", e.Key, e.Line)
		}
		return fmt.Sprintf("%+v heads %v last %d events%s", d.View(), d.heads(), d.last(), keys)
	}
	for _, id := range slices.Concat(need.IDs, need.Known) {
		d, err := s.Find(id)
		fmt.Fprintf(&b, "find %q: %s, %v\n", id, say(d), err)
		fmt.Fprintf(&b, "has %v\n", s.has(id))
	}
	for _, t := range need.Texts {
		fmt.Fprintf(&b, "equal %q: %s\n", t, say(s.Equal(t)))
		for _, r := range s.Related(t, s.Equal(t)) {
			fmt.Fprintf(&b, "related %s %.3f %s\n", r.Class, r.Score, say(r.Decision))
		}
		fmt.Fprintf(&b, "fresh %v\n", s.Fresh([]Candidate{{t}}, 1))
	}
	for _, t := range need.Same {
		fmt.Fprintf(&b, "equal %q: %s, fresh %v\n", t, say(s.Equal(t)), s.Fresh([]Candidate{{t}}, 1))
	}
	if need.Shown {
		known := Known{}
		for _, id := range need.Known {
			known[id] = "as it was"
		}
		for _, n := range []int{1, 7, 20} {
			p := s.Project(n, 0)
			fmt.Fprintf(&b, "shown %s\nsince %+v\n", p.Text(), s.Since(known, p))
		}
	}
	return b.String()
}

// needs are things that somebody may want to know of a log.
func needs(r *rand.Rand, s *State) []Need {
	pick := func() string {
		if len(s.Decisions) == 0 {
			return "D-1"
		}
		id := s.Decisions[r.IntN(len(s.Decisions))].ID
		return []string{id, id[len(id)-4:], id[:len(id)-1], strings.ToLower(id), "D-2026-01-01-0003", "nothing", ""}[r.IntN(7)]
	}
	text := "Use PostgreSQL for the database"
	if n := len(s.Decisions); n > 0 {
		text = s.Decisions[r.IntN(n)].Text
	}
	return []Need{
		{Texts: []string{text, "Never use tabs and spaces in gofmt"}},
		{Texts: []string{"使用数据库 with retries", "42"}, IDs: []string{pick()}},
		{IDs: []string{pick(), pick()}, Same: []string{text}},
		{Shown: true, Known: []string{pick(), pick()}},
		{Shown: true, Texts: []string{"🎉"}},
	}
}

// Holds decisions 22.
func TestAnIndexSaysWhatTheWholeLogSays(t *testing.T) {
	answered, asked := 0, 0
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := randomLog(t, r, 20+r.IntN(120))
		cuts := []int{len(data)}
		for i, c := range data {
			if c == '\n' && r.IntN(12) == 0 {
				cuts = append(cuts, i+1)
			}
		}
		l := Read(data)
		s := Replay(l.Events)
		for _, cut := range cuts {
			covered := Read(data[:cut])
			b, err := BuildIndex(data[:cut], covered, Replay(covered.Events))
			if err != nil {
				if len(covered.Has(DamageKey)) == 0 {
					t.Fatalf("seed %d: %v", seed, err)
				}
				continue
			}
			for _, need := range needs(r, s) {
				asked++
				x, err := OpenIndex(bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				some, part, err := x.Load(need, bytes.NewReader(data), data[cut:])
				if errors.Is(err, ErrIndex) || errors.Is(err, ErrNeed) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				answered++
				if diff := cmp.Diff(answers(l, s, need), answers(some, part, need)); diff != "" {
					t.Fatalf("seed %d, %d of %d bytes, %+v (-whole +index):\n%s", seed, cut, len(data), need, diff)
				}
			}
		}
	}
	if answered*2 < asked {
		t.Errorf("of %d needs %d were met", asked, answered)
	}
}

// Holds decisions 22.
func TestAnIndexChoosesAmongVeryManyAsTheWholeLogDoes(t *testing.T) {
	data := many(t, 6*maxNear)
	l := Read(data)
	s := Replay(l.Events)
	for _, cut := range []int{len(data), bytes.LastIndexByte(data[:len(data)-20_000], '\n') + 1} {
		covered := Read(data[:cut])
		b, err := BuildIndex(data[:cut], covered, Replay(covered.Events))
		if err != nil {
			t.Fatal(err)
		}
		x, err := OpenIndex(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		need := Need{Texts: []string{"Service 77 keeps its records in table 539", "Something that nobody said", "records"}, Shown: true}
		some, part, err := x.Load(need, bytes.NewReader(data), data[cut:])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answers(l, s, need), answers(some, part, need)); diff != "" {
			t.Fatalf("%d of %d bytes (-whole +index):\n%s", cut, len(data), diff)
		}
		if n := len(part.Related(need.Texts[0], nil)); n < 100 || n > maxNear {
			t.Errorf("%d related", n)
		}
	}
}

func TestAnIndexOfAnotherLogIsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	data := randomLog(t, r, 60)
	l := Read(data)
	b, err := BuildIndex(data, l, Replay(l.Events))
	if err != nil {
		t.Fatal(err)
	}
	other := randomLog(t, rand.New(rand.NewPCG(6, 6)), 90)
	x, err := OpenIndex(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.Load(Need{Texts: []string{"Use tabs"}, Shown: true}, bytes.NewReader(other), nil); !errors.Is(err, ErrIndex) {
		t.Errorf("%v", err)
	}
}

// Every damaged byte of an index is found, or says nothing of what is asked.
func TestADamagedIndexSaysNothingWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	data := randomLog(t, r, 80)
	l := Read(data)
	s := Replay(l.Events)
	b, err := BuildIndex(data, l, s)
	if err != nil {
		t.Fatal(err)
	}
	need := Need{Texts: []string{"Use tabs and spaces"}, IDs: []string{s.Decisions[3].ID}, Shown: true}
	want := answers(l, s, need)
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 1 << r.IntN(8)
		x, err := OpenIndex(bytes.NewReader(bad))
		if err != nil {
			continue
		}
		some, part, err := x.Load(need, bytes.NewReader(data), nil)
		if err == nil && answers(some, part, need) != want {
			t.Fatalf("byte %d: it says something else", i)
		}
	}
}

// FuzzIndexHead reads heads of any bytes.
func FuzzIndexHead(f *testing.F) {
	data := randomLog(f, rand.New(rand.NewPCG(4, 4)), 5)
	l := Read(data)
	b, err := BuildIndex(data, l, Replay(l.Events))
	if err != nil {
		f.Fatal(err)
	}
	size := binary.LittleEndian.Uint32(b[len(indexMagic):])
	f.Add(b[len(indexMagic)+8 : len(indexMagic)+8+int(size)])
	f.Fuzz(func(t *testing.T, head []byte) {
		bad := append([]byte(indexMagic), binary.LittleEndian.AppendUint32(nil, uint32(len(head)))...)
		bad = append(append(binary.LittleEndian.AppendUint32(bad, castagnoli(head)), head...), b[len(indexMagic)+8+int(size):]...)
		x, err := OpenIndex(bytes.NewReader(bad))
		if err != nil {
			return
		}
		_, _, _ = x.Load(Need{Texts: []string{"Use tabs"}, Shown: true}, bytes.NewReader(data), nil) // it must not panic
	})
}

// FuzzIndex reads damaged indexes whose checksums are right: nothing may panic, and
// nothing is said that is not in the log.
func FuzzIndex(f *testing.F) {
	data := randomLog(f, rand.New(rand.NewPCG(3, 3)), 60)
	l := Read(data)
	s := Replay(l.Events)
	b, err := BuildIndex(data, l, s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add([]byte{0, 20, 255, 1, 10, 7})
	said := make(map[string]bool)
	for i := range l.Events {
		said[value(l.Events[i].Data.Text)] = true
	}
	f.Fuzz(func(t *testing.T, edits []byte) {
		bad := bytes.Clone(b)
		x, err := OpenIndex(bytes.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		for ; len(edits) >= 3; edits = edits[3:] { // a place of two bytes, and what stands there
			if i := int(x.start) + int(edits[0])<<8 + int(edits[1]); i < len(bad) {
				bad[i] = edits[2]
			}
		}
		for i, p := range x.head.Sections {
			from := x.start + int64(p[0])
			x.head.Sections[i][2] = uint64(castagnoli(bad[from : from+int64(p[1])]))
		}
		_, part, err := x.Load(Need{Texts: []string{"Use tabs", "42"}, IDs: []string{"D-2026"}, Known: []string{"0003"}, Shown: true}, bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		for _, d := range part.Decisions {
			if !said[d.Text] && d.Text != d.Title {
				t.Fatalf("the log does not say %q", d.Text)
			}
		}
	})
}

// BenchmarkNeed asks an index of a log of 200,000 events what adding wants to know,
// and what a model is shown.
func BenchmarkNeed(b *testing.B) {
	data := many(b, 200_000)
	l := Read(data)
	s := Replay(l.Events)
	var index []byte
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			var err error
			if index, err = BuildIndex(data, l, s); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(index))/float64(len(data)), "index/log")
	})
	for name, need := range map[string]Need{
		"add":      {Texts: []string{"Service 77 keeps its records in a table"}},
		"add-rare": {Texts: []string{"Something that nobody said"}},
		"shown":    {Shown: true},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				x, err := OpenIndex(bytes.NewReader(index))
				if err != nil {
					b.Fatal(err)
				}
				_, part, err := x.Load(need, bytes.NewReader(data), nil)
				if err != nil {
					b.Fatal(err)
				}
				for _, text := range need.Texts {
					part.Related(text, part.Equal(text))
				}
				part.Project(MaxDecisions, 0)
			}
		})
	}
}

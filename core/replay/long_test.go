package replay

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/prune/policy"
)

// long is a session of the given number of turns, each of two requests that read, edit or run
// something, with a pause now and then.
func long(turns int) *session {
	s := newSession()
	for i := range turns {
		s.user(20)
		for j := range 2 {
			n := 2*i + j
			id, file := fmt.Sprintf("c%d", n), fmt.Sprintf("src/part%d/file%d.go", n%7, n*n%(10+turns/4))
			was := fmt.Sprintf("a line of %s, read at %d", file, n)
			switch n % 4 {
			case 0, 1:
				s.calls(id, "read", fmt.Sprintf(`{"path":%q}`, file))
				s.result(id, "read", was+strings.Repeat("\nsome line of text", 20+n%150))
			case 2:
				s.calls(id, "edit", fmt.Sprintf(`{"path":"src/part%d/file%d.go","oldText":"a line of src/part%d/file%d.go, read at %d","newText":"x"}`, (n-1)%7, (n-1)*(n-1)%(10+turns/4), (n-1)%7, (n-1)*(n-1)%(10+turns/4), n-1))
				s.result(id, "edit", "done")
			default:
				s.calls(id, "bash", `{"command":"go test ./..."}`)
				s.result(id, "bash", strings.Repeat("ok\n", 300))
			}
		}
		s.answer(30)
		if i%10 == 9 {
			s.wait(10 * time.Minute)
		}
	}
	return s
}

// strange is a session in which all happens that does not simply go on: branches,
// compactions, edits by others, failed answers.
func strange(seed uint64) *session {
	s, r := newSession(), rand.New(rand.NewPCG(seed, 1))
	ids, calls := []string{}, 0
	for range 30 {
		ids = append(ids, s.user(20))
		for range 1 + r.IntN(6) {
			calls++
			id, file := fmt.Sprintf("c%d", calls), fmt.Sprintf("src/file%d.go", r.IntN(9))
			if r.IntN(4) == 0 {
				ids = append(ids, s.calls(id, "edit", fmt.Sprintf(`{"path":%q,"oldText":"%s","newText":"x"}`, file, strings.Repeat("old text ", 200))))
			} else {
				ids = append(ids, s.calls(id, "read", fmt.Sprintf(`{"path":%q}`, file)))
			}
			if r.IntN(9) == 0 {
				s.edit(`"toolUse"`, `"aborted"`)
			}
			ids = append(ids, s.result(id, "read", strings.Repeat("some line of text\n", 5+r.IntN(700))))
		}
		ids = append(ids, s.answer(30))
		switch some := ids[r.IntN(len(ids))]; r.IntN(8) {
		case 0:
			s.compact(50, ids[len(ids)-4])
		case 1:
			s.at = some
		case 2:
			s.add(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":{"content":"short"}`, some))
		case 3:
			s.add(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":null`, some))
		default:
			s.wait(10 * time.Minute)
		}
	}
	return s
}

// TestFollowingASessionReplaysAsFromScratch goes through strange sessions and recorded
// ones, and those of the directory that SESSIONS names.
func TestFollowingASessionReplaysAsFromScratch(t *testing.T) {
	t.Parallel()
	all := recorded(t)
	for seed := range uint64(8) {
		all[fmt.Sprint("strange ", seed)] = strange(seed).load(t)
	}
	made := 0
	for name, r := range all {
		for _, p := range []Policy{
			Auto(defaultAuto()), Cold(defaultAuto()), Kota(DefaultKota()), Inline(defaultAuto()).WithAgent("idle", Agent{Answers: 4}),
			Seed(policy.SeedSettings{Minimum: 500, Protect: 500, ProtectedTurns: 1}), Pools(policy.Window{}),
		} {
			for _, price := range []string{"anthropic-5m", "openai"} {
				followed, scratch := newRun(r, p, prices(t, price), Options{}), newRun(r, p, prices(t, price), Options{})
				for i := range r.calls {
					followed.call(i)
					scratch.plans.input = nil
					scratch.call(i)
				}
				same := slices.EqualFunc(followed.marks, scratch.marks, func(a, b *mark) bool {
					return a.message == b.message && a.call == b.call && a.marker == b.marker
				})
				if !same || followed.bill.cost != scratch.bill.cost {
					t.Errorf("%s, %s, %s: %d marks and a bill of %v, from scratch %d and %v",
						name, p.Name, price, len(followed.marks), followed.bill.cost, len(scratch.marks), scratch.bill.cost)
				}
				made += len(followed.marks)
			}
		}
	}
	if made < 100 {
		t.Errorf("only %d results were pruned: that says little", made)
	}
}

// recorded are the sessions recorded from a real pi.
func recorded(t *testing.T) map[string]*Recording {
	t.Helper()
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no sessions", err)
	}
	if dir := os.Getenv("SESSIONS"); dir != "" {
		more, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		files = append(files, more...)
	}
	all := make(map[string]*Recording)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{lines: strings.Split(strings.TrimSpace(string(text)), "\n")}
		all[filepath.Base(file)] = s.load(t)
	}
	return all
}

// TestARequestOfALongSessionReadsOnlyNewMessages counts messages instead of measuring time.
func TestARequestOfALongSessionReadsOnlyNewMessages(t *testing.T) {
	t.Parallel()
	looked := func(turns int, price string) float64 {
		r := long(turns).load(t)
		s := newRun(r, Auto(defaultAuto()), prices(t, price), Options{})
		for i := range r.calls {
			s.call(i)
		}
		if len(s.marks) < turns/8 {
			t.Fatalf("only %d results of %d turns were pruned: that says little", len(s.marks), turns)
		}
		return float64(s.plans.input.Visited) / float64(turns)
	}
	// Where the cache lasts for an hour, most of what could go waits for long.
	for _, price := range []string{"anthropic-5m", "anthropic-1h", "deepseek"} {
		if short, long := looked(200, price), looked(800, price); long > 1.5*short {
			t.Errorf("%s: a turn looks at %.1f messages in a session of 200, at %.1f in one of 800", price, short, long)
		}
	}
}

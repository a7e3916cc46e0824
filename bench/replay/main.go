// Command replay prints what tuning a policy needs and users do not: what each policy pruned,
// what it costs in all worlds, on halves of the sessions, and how well the model of the cache
// agrees with recorded usage.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// piFloor is about what pi sends before a conversation.
const piFloor = 6000

func main() {
	plans := flag.Bool("plans", false, "print what auto pruned, as JSON lines")
	check := flag.Bool("check", false, "compare the model of the cache with recorded usage")
	names := flag.String("policy", "auto,fold,cold", "the policies; fold is auto that also folds, auto-RULE auto without a rule")
	floor := flag.Int("floor", piFloor, "tokens before the conversation; 0 leaves them as recorded")
	only := flag.String("world", "", "one world only")
	misses := flag.String("misses", "once", "what a call that lost a text does: once, never or always read it again")
	flag.Parse()
	files, err := filepath.Glob(filepath.Join(flag.Arg(0), "*.jsonl"))
	if err != nil || len(files) == 0 {
		fmt.Fprintln(os.Stderr, "replay: want a directory of sessions")
		os.Exit(2)
	}
	b := &bench{worlds: append(replay.Worlds(), replay.Own(&bill.Prices{Today: true})), policies: choose(*names), floor: token.Count(*floor), options: replay.Options{Pruned: *plans, Series: true}}
	switch *misses {
	case "never":
		b.options.Misses = replay.NeverFetched
	case "always":
		b.options.Misses = replay.AlwaysReread
	}
	for _, p := range token.Profiles() {
		b.worlds = append(b.worlds, replay.World{Name: p.Name, Of: func(*session.Model) token.Prices { return p }})
	}
	for _, w := range b.worlds {
		if w.Name == *only {
			b.worlds = []replay.World{w}
			break
		}
	}
	if *check {
		b.policies = b.policies[:1]
	}
	b.all(files)
	b.print(*check)
}

// choose returns the policies of a list, "none" first.
func choose(names string) []replay.Policy {
	all := config.Resolve(config.Input{}).Config
	c := all.Prune
	out := []replay.Policy{replay.None()}
	for name := range strings.SplitSeq(names, ",") {
		var p *policy.Planner
		switch auto := workspace.AutoSettings(all); name {
		case "seed":
			p = policy.NewSeed(policy.SeedSettings(c.Seed))
		case "kota":
			p = policy.NewKota(workspace.KotaSettings(c.Kota))
		case "auto", "cold", "fold":
			auto.Fold, auto.ColdOnly = auto.Fold || name == "fold", name == "cold"
			p = policy.NewAuto(auto)
		default:
			_, rule, _ := strings.Cut(name, "-")
			auto.Without = append(auto.Without, rule)
			p = policy.NewAuto(auto)
		}
		out = append(out, replay.Policy{Name: name, Planner: p})
	}
	return out
}

// bench is the replay of many sessions.
type bench struct {
	worlds   []replay.World
	policies []replay.Policy
	floor    token.Count
	options  replay.Options
	runs     [][][]*replay.Run // by session, policy and world
	read     [2]int64          // tokens read from the cache: recorded, and by the model
}

// all replays the sessions of files.
func (b *bench) all(files []string) {
	b.runs = make([][][]*replay.Run, len(files))
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				runs, recorded, err := b.one(files[i])
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					continue
				}
				mu.Lock()
				b.runs[i] = runs
				b.read[0] += recorded
				mu.Unlock()
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
}

// one replays a session. It returns the tokens that its requests read from the cache.
func (b *bench) one(file string) (runs [][]*replay.Run, recorded int64, err error) {
	s, err := pi.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	rec, err := replay.Load(s.Entries(), s.Line)
	if err != nil {
		return nil, 0, err
	}
	rec.Others = true
	for i := range rec.Requests {
		recorded += rec.Requests[i].Usage.CacheRead
	}
	if rec.Converted && b.floor > 0 {
		rec.AssumeFloor(b.floor)
	}
	for _, p := range b.policies {
		var of []*replay.Run
		for _, w := range b.worlds {
			r, err := rec.Run(context.Background(), p, w, b.options)
			if err != nil {
				return nil, 0, err
			}
			of = append(of, r)
			for _, e := range r.Pruned {
				line, _ := json.Marshal(map[string]any{"session": rec.ID, "policy": p.Name, "world": w.Name, "request": e.Request, "entry": e.EntryID, "source": e.Source, "reason": e.Reason.Code, "marker": e.Marker, "tokens": e.Tokens})
				fmt.Println(string(line))
			}
		}
		runs = append(runs, of)
	}
	return runs, recorded, nil
}

// print prints the table of worlds.
func (b *bench) print(check bool) {
	for w, world := range b.worlds {
		if check {
			var read int64
			for _, of := range b.runs {
				for _, p := range of[0][w].Series {
					read += int64(p.Read)
				}
			}
			fmt.Printf("%-14s read from the cache: %.3f of what was recorded\n", world.Name, float64(read)/float64(max(1, b.read[0])))
			continue
		}
		for p := 1; p < len(b.policies); p++ {
			halves := [2]string{b.ratio(p, w, func(i, _ int) bool { return i%2 == 0 }), b.ratio(p, w, func(i, _ int) bool { return i%2 == 1 })}
			lengths := [3]string{
				b.ratio(p, w, func(_, n int) bool { return n < 50 }),
				b.ratio(p, w, func(_, n int) bool { return n >= 50 && n < 150 }),
				b.ratio(p, w, func(_, n int) bool { return n >= 150 }),
			}
			t := replay.NewTally([]replay.Policy{b.policies[0], b.policies[p]}, []replay.World{world})
			for _, of := range b.runs {
				if of != nil {
					t.Add(replay.SessionResult{}, 0, [][]*replay.Run{of[0][w : w+1], of[p][w : w+1]})
				}
			}
			f := &t.Comparison().Policies[1].Worlds[0]
			fmt.Printf("%-14s %-14s %.4f (halves %s; under 50, 150, more requests %s) median %.3f worst %.3f worse %d better %d; edits lost %d of %d, calls %d, thinking lost %d, warm rewrites %d\n",
				world.Name, b.policies[p].Name, f.BillVsNone, strings.Join(halves[:], " "), strings.Join(lengths[:], " "), f.MedianVsNone, f.WorstVsNone, f.Worse, f.Better,
				f.EditsMissing, f.Edits, f.CallsMissing, f.ThinkingLost, f.WarmRewrites)
		}
	}
}

// ratio is the bill of the sessions that are chosen by their number and their requests.
func (b *bench) ratio(p, w int, chosen func(i, requests int) bool) string {
	var billed, none float64
	for i, of := range b.runs {
		if of == nil || !chosen(i, of[0][w].Requests) {
			continue
		}
		own, plain := of[p][w].Bill.Shown(), of[0][w].Bill.Shown()
		billed, none = billed+own.Billed, none+plain.Billed
	}
	return fmt.Sprintf("%.3f", billed/max(1e-9, none))
}

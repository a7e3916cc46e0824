package commands

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/jsonl"
)

// replayWork is what is to be replayed, and how.
type replayWork struct {
	app      *app
	options  replayOptions
	policies []replay.Policy // "none" first
	prices   []token.Prices
	shown    int  // of prices
	detail   bool // the courses of the sessions are wanted
	workers  int
}

// replayed is one session under all policies and prices.
type replayed struct {
	session, file, cwd string
	started            int64
	calibration        []replay.Calibration
	foreign            token.Count    // what another agent sent before the conversation
	runs               [][]replay.Run // by policy, then by prices
	problem            string         // why it was not replayed
	damage             []replayDamage
}

// The most points a course has for a chart: of few sessions, and of many.
const (
	fewSessions = 50
	manyPoints  = 300
	fewPoints   = 60
)

// run replays the files. It ends early, with what is done, when ctx does.
func (w *replayWork) run(ctx context.Context, files []string) (*replayResult, error) {
	done := make([]*replayed, len(files))
	w.each(ctx, files, func(i int) { done[i] = w.replay(ctx, files[i], len(files)) })
	res := &replayResult{
		Policies: []replayPolicy{}, PerSession: []replaySession{},
		Profile: w.prices[w.shown].Name, Prices: w.prices, Interrupted: ctx.Err() != nil,
	}
	sum := newReplaySum(w, res)
	for _, d := range done {
		if d == nil { // interrupted
			continue
		}
		if d.problem != "" {
			res.Problems = append(res.Problems, replayProblem{d.file, d.problem})
			continue
		}
		res.Damage = append(res.Damage, d.damage...)
		sum.add(d)
	}
	sum.end()
	return res, nil
}

// each calls do for every file, several at a time, and shows how far it is.
func (w *replayWork) each(ctx context.Context, files []string, do func(i int)) {
	var total int64
	sizes := make([]int64, len(files))
	for i, f := range files {
		if st, err := os.Stat(f); err == nil {
			sizes[i] = st.Size()
			total += sizes[i]
		}
	}
	bar := w.app.progress("replaying", total)
	defer bar.end()
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(w.workers, len(files)) {
		wg.Go(func() {
			for i := range next {
				do(i)
				bar.add(sizes[i])
			}
		})
	}
	for i := range files {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
}

// open loads a session.
func (w *replayWork) open(file string) (*jsonl.Session, *replay.Recording, error) {
	s, err := jsonl.Open(file)
	if err != nil {
		return nil, nil, err
	}
	if s.Header.Version == 0 && !hasMessage(s) {
		err = jsonl.ErrNoSession
	}
	var rec *replay.Recording
	if err == nil {
		rec, err = replay.Load(s.Tree, s.Line)
	}
	if err != nil {
		s.Close()
		return nil, nil, fmt.Errorf("read session %s: %w", file, err)
	}
	if w.options.floor > 0 {
		rec.AssumeFloor(token.Count(w.options.floor))
	}
	return s, rec, nil
}

// foreign returns what another agent sent before the conversation, 0 when that is
// not known, or not much more than what pi sends.
func foreign(rec *replay.Recording) token.Count {
	if cal := rec.Calibrations(); rec.Converted && len(cal) > 0 && cal[0].Floor > 2*piFloor {
		return cal[0].Floor
	}
	return 0
}

// hasMessage reports whether a file without a header is a session all the same.
func hasMessage(s *jsonl.Session) bool {
	return slices.ContainsFunc(s.Nodes, func(n message.Node) bool { return n.Type == message.EntryMessage })
}

// damageOf lists the lines of a session that could not be read.
func damageOf(s *jsonl.Session) []replayDamage {
	var out []replayDamage
	for _, issue := range s.Issues {
		out = append(out, replayDamage{s.Path, issue})
	}
	return out
}

// replay runs one session under everything. It returns nil when ctx ends first.
func (w *replayWork) replay(ctx context.Context, file string, of int) *replayed {
	d := &replayed{file: file}
	s, rec, err := w.open(file)
	if err != nil {
		d.problem = err.Error()
		return d
	}
	defer s.Close()
	d.damage = damageOf(s)
	if w.options.floor == 0 {
		if d.foreign = foreign(rec); d.foreign > 0 && !w.options.recorded {
			rec.AssumeFloor(piFloor)
		}
	}
	d.session, d.cwd, d.started, d.calibration = rec.Session, rec.CWD, rec.Started, rec.Calibrations()
	points := manyPoints
	if of > fewSessions {
		points = fewPoints
	}
	o := replay.Options{At: w.shown, Pruned: true, Series: w.detail}
	for _, p := range w.policies {
		runs, err := rec.Run(ctx, p, w.prices, o)
		if err != nil {
			return nil
		}
		runs[w.shown].Series = replay.Thin(runs[w.shown].Series, points)
		d.runs = append(d.runs, runs)
	}
	return d
}

package prune

import (
	"context"
	"sync"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// replayWork is what is to be replayed, and how.
type replayWork struct {
	app      *cli.Run
	options  replayOptions
	policies []replay.Policy // "none" first
	prices   []token.Prices
	models   []bill.ModelPrice // the user's own
	shown    int               // of prices
	detail   bool              // the courses of the sessions are wanted
	workers  int
}

// replayedSession is one session under all policies and prices, or why there is none.
type replayedSession struct {
	replayLosses
	result  replay.SessionResult
	foreign token.Count    // what another agent sent before the conversation
	runs    [][]replay.Run // by policy, then by prices; nil when it could not be read
}

// The most points a course has for a chart: of few sessions, and of many.
const (
	fewSessions = 50
	manyPoints  = 300
	fewPoints   = 60
)

// run replays the files. It ends early, with what is done, when ctx does.
func (w *replayWork) run(ctx context.Context, files []string) (*replay.Comparison, replayLosses) {
	points := manyPoints
	if len(files) > fewSessions {
		points = fewPoints
	}
	tally := replay.NewTally(w.policies, w.prices, w.shown)
	var lost replayLosses
	for _, s := range forEachFile(ctx, w, files, func(file string) *replayedSession { return w.replay(ctx, file, points) }) {
		if s == nil { // interrupted
			continue
		}
		lost.add(s.replayLosses)
		if s.runs != nil {
			tally.Add(s.result, s.foreign, s.runs)
		}
	}
	res := tally.Comparison()
	res.Problems, res.Interrupted = lost.problems, ctx.Err() != nil
	return res, lost
}

// forEachFile calls do for every file, several at a time, and shows how far it is. It
// returns the results in the order of the files, nil for those that were not reached
// before ctx ended.
func forEachFile[T any](ctx context.Context, w *replayWork, files []string, do func(file string) *T) []*T {
	var total int64
	sizes := make([]int64, len(files))
	for i, f := range files {
		if info, err := w.app.Sources().Read(f).Info(); err == nil {
			sizes[i] = info.Size
			total += sizes[i]
		}
	}
	bar := w.app.Progress("replaying", total)
	defer bar.End()
	done, next := make([]*T, len(files)), make(chan int)
	var wg sync.WaitGroup
	for range min(w.workers, len(files)) {
		wg.Go(func() {
			for i := range next {
				done[i] = do(files[i])
				bar.Add(sizes[i])
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
	return done
}

// open loads a session. Without one the losses say why.
func (w *replayWork) open(file string) (history.Session, *replay.Recording, replayLosses) {
	var lost replayLosses
	s, rec, err := workspace.LoadRecording(w.app.Sources(), file)
	if err != nil {
		lost.problems = []replay.Problem{{File: file, Cause: err.Error()}}
		return nil, nil, lost
	}
	for _, issue := range s.Problems() {
		lost.damage = append(lost.damage, replayDamage{file, issue})
	}
	if w.options.floor > 0 {
		rec.AssumeFloor(token.Count(w.options.floor))
	}
	return s, rec, lost
}

// foreign returns what another agent sent before the conversation, 0 when that is
// not known, or not much more than what pi sends.
func foreign(rec *replay.Recording) token.Count {
	if cal := rec.Calibrations(); rec.Converted && len(cal) > 0 && cal[0].Floor > 2*piFloor {
		return cal[0].Floor
	}
	return 0
}

// assume takes away the system prompt of another agent, unless the flags say otherwise,
// and returns its size.
func (w *replayWork) assume(rec *replay.Recording) token.Count {
	if w.options.floor > 0 {
		return 0
	}
	n := foreign(rec)
	if n > 0 && !w.options.recorded {
		rec.AssumeFloor(piFloor)
	}
	return n
}

// replay runs one session under everything, and keeps so many points of its courses.
// It returns nil when ctx ends first.
func (w *replayWork) replay(ctx context.Context, file string, points int) *replayedSession {
	s, rec, lost := w.open(file)
	d := &replayedSession{replayLosses: lost}
	if s == nil {
		return d
	}
	defer s.Close()
	d.foreign = w.assume(rec)
	d.result = replay.SessionResult{Session: rec.Session, File: file, CWD: rec.CWD, Started: text.KnownTime(rec.Started), Rate: rec.Rate(w.models)}
	if cal := rec.Calibrations(); len(cal) > 0 {
		d.result.Calibration = cal[0]
	}
	o := replay.Options{At: w.shown, Pruned: true, Series: w.detail}
	for _, p := range w.policies {
		runs, err := rec.Run(ctx, p, w.prices, o)
		if err != nil {
			return nil
		}
		shown := &runs[w.shown]
		shown.Series = replay.Thin(shown.Series, points)
		for i := range shown.Pruned { // arguments that look the same are one group
			shown.Pruned[i].Argument = text.TerminalLine(shown.Pruned[i].Argument)
		}
		d.runs = append(d.runs, runs)
	}
	return d
}

package prune

import (
	"context"
	"slices"
	"sync"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// replayWork is what to replay, and how.
type replayWork struct {
	app      *cli.Run
	options  replayOptions
	policies []replay.Policy // "none" first
	prices   []token.Prices
	models   []bill.ModelPrice // the user's own
	shown    int               // the index of the profile to show
	detail   bool              // whether to record the course of each session
	workers  int
}

// replayedSession is a session under all policies and prices.
type replayedSession struct {
	result  replay.SessionResult
	foreign token.Count    // what another agent sent before the conversation
	runs    [][]replay.Run // by policy, then by prices
}

// The maximum number of points of a session in a chart: manyPoints for up to fewSessions
// sessions, otherwise fewPoints.
const (
	fewSessions = 50
	manyPoints  = 300
	fewPoints   = 60
)

// run replays the files. If ctx ends, it returns what is done so far.
func (w *replayWork) run(ctx context.Context, files []string) (*replay.Comparison, replayLosses) {
	points := manyPoints
	if len(files) > fewSessions {
		points = fewPoints
	}
	tally := replay.NewTally(w.policies, w.prices, w.shown)
	all, lost := eachSession(ctx, w, files, func(file string, rec *replay.Recording) *replayedSession { return w.replay(ctx, file, rec, points) })
	for _, s := range all {
		tally.Add(s.result, s.foreign, s.runs)
	}
	res := tally.Comparison()
	res.Problems, res.Interrupted = lost.problems, ctx.Err() != nil
	return res, lost
}

// eachSession calls do for the session of every file, several at a time, and shows its
// progress. It returns the results in the order of the files, and the losses. A session for
// which do returns nil, because ctx ended, is in neither of them.
func eachSession[T any](ctx context.Context, w *replayWork, files []string, do func(file string, rec *replay.Recording) *T) ([]*T, replayLosses) {
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
	done, losses, next := make([]*T, len(files)), make([]replayLosses, len(files)), make(chan int)
	var wg sync.WaitGroup
	for range min(w.workers, len(files)) {
		wg.Go(func() {
			for i := range next {
				done[i], losses[i] = withSession(w, files[i], do)
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
	var lost replayLosses
	for _, l := range losses {
		lost.add(l)
	}
	return slices.DeleteFunc(done, func(r *T) bool { return r == nil }), lost
}

// withSession calls do for the session of one file.
func withSession[T any](w *replayWork, file string, do func(file string, rec *replay.Recording) *T) (*T, replayLosses) {
	s, rec, lost := w.open(file)
	if s == nil {
		return nil, lost
	}
	defer s.Close()
	r := do(file, rec)
	if r == nil {
		return nil, replayLosses{}
	}
	return r, lost
}

// open loads a session. If that fails, s is nil and the losses say why.
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

// foreign returns the number of tokens that another agent sent before the conversation. It
// is 0 if unknown, or not much more than what pi sends.
func foreign(rec *replay.Recording) token.Count {
	if cal := rec.Calibrations(); rec.Converted && len(cal) > 0 && cal[0].Floor > 2*piFloor {
		return cal[0].Floor
	}
	return 0
}

// assume replaces the system prompt of another agent by one of pi's size, unless the flags
// say otherwise, and returns its size.
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

// replay prices a session under every policy and price profile. Charts get at most the given
// number of points. It returns nil when ctx ends first.
func (w *replayWork) replay(ctx context.Context, file string, rec *replay.Recording, points int) *replayedSession {
	d := &replayedSession{foreign: w.assume(rec)}
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
		for i := range shown.Pruned { // equal-looking arguments form a group
			shown.Pruned[i].Argument = text.TerminalLine(shown.Pruned[i].Argument)
		}
		d.runs = append(d.runs, runs)
	}
	return d
}

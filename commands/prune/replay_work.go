package prune

import (
	"context"
	"sync"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// replayWork replays many sessions under all policies.
type replayWork struct {
	app      *cli.Run
	policies []replay.Policy // "none" first
	worlds   []replay.World
	series   bool // whether to record the course of each session
	workers  int
	origins  replay.Origins
}

// replayedSession is a session under all policies.
type replayedSession struct {
	result  replay.SessionResult
	foreign token.Count     // what another agent sent before the conversation
	shared  int             // requests that another session has, too
	runs    [][]*replay.Run // by policy, then by world
	losses  replayLosses
}

// Up to this many sessions are drawn in full; of more, only the shape of each.
const (
	fewSessions = 50
	manyPoints  = 300
	fewPoints   = 60
)

// run replays the sessions of files. Those that were not forked come first, so that the
// requests that forks share are billed in their origin.
func (w *replayWork) run(ctx context.Context, files []string) (*replay.Comparison, replayLosses) {
	points := manyPoints
	if len(files) > fewSessions {
		points = fewPoints
	}
	var total int64
	var forks, others []int
	sizes := make([]int64, len(files))
	for i, f := range files {
		if info, err := w.app.Sources().Read(f).Info(); err == nil {
			sizes[i] = info.Size
			total += sizes[i]
		}
		if head, err := w.app.Sources().Head(f); err == nil && head.Parent != "" {
			forks = append(forks, i)
		} else {
			others = append(others, i)
		}
	}
	bar := w.app.Progress("replaying", total)
	defer bar.End()
	done := make([]*replayedSession, len(files))
	one := func(i int) {
		done[i] = w.session(ctx, files[i], points)
		bar.Add(sizes[i])
	}
	inParallel(ctx, w.workers, others, one)
	inParallel(ctx, 1, forks, one)
	tally := replay.NewTally(w.policies, w.worlds)
	var lost replayLosses
	for _, s := range done {
		if s == nil {
			continue
		}
		lost.problems, lost.damage, lost.partly = append(lost.problems, s.losses.problems...), append(lost.damage, s.losses.damage...), lost.partly || s.losses.partly
		if len(s.runs) == len(w.policies) {
			tally.Share(s.shared)
			tally.Add(s.result, s.foreign, s.runs)
		}
	}
	res := tally.Comparison()
	res.Problems, res.Interrupted = lost.problems, ctx.Err() != nil
	return res, lost
}

// inParallel calls do with every element of a list until ctx is cancelled.
func inParallel(ctx context.Context, workers int, list []int, do func(int)) {
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, len(list)) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for _, i := range list {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
}

// session replays one session. It has no runs when it cannot be read.
func (w *replayWork) session(ctx context.Context, file string, points int) *replayedSession {
	d := &replayedSession{}
	s, rec, err := workspace.LoadRecording(w.app.Sources(), file)
	if err != nil {
		d.losses.problems = []replay.Problem{{File: file, Cause: err.Error()}}
		return d
	}
	defer s.Close()
	for _, issue := range s.Problems() {
		kind := "warning"
		if !issue.Torn { // a torn last line may still be being written
			kind, d.losses.partly = "error", true
		}
		d.losses.damage = append(d.losses.damage, kind+": "+file+": "+issue.String())
	}
	d.foreign, d.shared = assumePi(rec), w.origins.Claim(rec)
	d.result = replay.SessionResult{Session: rec.ID, File: file, CWD: rec.CWD, Started: text.KnownTime(rec.Started)}
	if len(rec.Models) > 0 {
		d.result.Model = rec.Models[0]
	}
	for _, p := range w.policies {
		var runs []*replay.Run
		for i, world := range w.worlds {
			r, err := rec.Run(ctx, p, world, replay.Options{Pruned: i == 0, Series: i == 0 && w.series})
			if err != nil {
				return d
			}
			r.Series = replay.Thin(r.Series, points)
			for j := range r.Pruned { // equal-looking arguments form a group
				r.Pruned[j].Argument = text.TerminalLine(r.Pruned[j].Argument)
			}
			runs = append(runs, r)
		}
		d.runs = append(d.runs, runs)
	}
	return d
}

// piFloor is about the size of the system prompt and the tools that pi sends.
const piFloor = 6000

// assumePi replaces the system prompt and tools of another agent by ones of pi's size. It
// returns the size of what it replaced.
func assumePi(rec *replay.Recording) (foreign token.Count) {
	if len(rec.Models) > 0 && rec.Converted && rec.Models[0].Floor > 2*piFloor {
		foreign = rec.Models[0].Floor
		rec.AssumeFloor(piFloor)
	}
	return foreign
}

package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/token"
)

// Progress is the state of a run. It is small, so that an agent can keep it between two
// events while it asks models.
type Progress struct {
	Token int64 `json:"token"` // of the lease
	Began int64 `json:"began"` // Unix milliseconds
	Calls int   `json:"calls"`
	// Tries counts the failed attempts at each open task, by its id.
	Tries map[string]int `json:"tries,omitempty"`
	// Dead is why models are no longer asked, "" while they are.
	Dead string `json:"dead,omitempty"`
	// Failed is the number of errors since the last reply.
	Failed int `json:"failed,omitempty"`
	// Written and Extracted count what this run stored.
	Written   int `json:"written"`
	Extracted int `json:"extracted,omitempty"`
	// Last is the error of the last bad reply.
	Last string `json:"last,omitempty"`
}

// maxFailures is how many consecutive errors mean that models cannot be reached.
const maxFailures = 4

// Job summarizes a branch.
type Job struct {
	opt    Options
	branch *Branch
	store  Store
	lease  Lease
	p      Progress
	nodes  []Node
	cover  *Cover
	tasks  map[string]Task
}

// NewJob begins a run, or continues one. p is the zero Progress, or what Progress returned.
func NewJob(ctx context.Context, st Store, b *Branch, o Options, p Progress) (*Job, error) {
	j := &Job{opt: o.withDefaults(), branch: b, store: st, p: p, tasks: make(map[string]Task)}
	if j.p.Tries == nil {
		j.p.Tries = make(map[string]int)
	}
	if j.p.Began == 0 {
		j.p.Began = o.Now().UnixMilli()
		l, err := st.Lease(ctx, b.Session, o.Take)
		if err != nil {
			return nil, err
		}
		j.p.Token = l.Token
	}
	j.lease = Lease{Session: b.Session, Token: j.p.Token}
	var err error
	if j.nodes, err = st.Summaries(ctx, b.Session); err != nil {
		return nil, err
	}
	j.cover = b.Cover(j.nodes)
	j.openTasks() // so that it takes the replies to what an earlier Job asked
	return j, nil
}

// Branch returns what the run summarises.
func (j *Job) Branch() *Branch { return j.branch }

// Progress returns the state of the run.
func (j *Job) Progress() Progress {
	p := j.p
	p.Tries = maps.Clone(p.Tries)
	return p
}

// Cover returns how the nodes cover the branch now.
func (j *Job) Cover() *Cover { return j.cover }

// Bound is why the run does not ask models any more, "" if it may or should not.
func (j *Job) Bound() string {
	switch {
	case len(j.opt.Models) == 0:
		return ""
	case j.p.Dead == "" && j.p.Calls >= j.opt.MaxCalls:
		return fmt.Sprintf("the limit of %d calls is reached", j.opt.MaxCalls)
	case j.p.Dead == "" && j.opt.Now().UnixMilli()-j.p.Began > j.opt.MaxTime.Milliseconds():
		return fmt.Sprintf("the limit of %v is reached", j.opt.MaxTime)
	}
	return j.p.Dead
}

// Left is the number of summaries that a model should have written but did not.
func (j *Job) Left() int { return j.branch.PlanOf(j.nodes, j.opt).Calls }

// mayAsk reports whether a model can still be asked for a task.
func (j *Job) mayAsk(id string) bool {
	return j.Bound() == "" && j.p.Tries[id] < perModel*len(j.opt.Models)
}

// openTasks updates and returns the tasks whose sources are made.
func (j *Job) openTasks() []Task {
	clear(j.tasks)
	var ready []Task
	for _, t := range j.branch.tasks(j.cover, j.opt, j.mayAsk) {
		if t.ready() {
			j.tasks[t.ID] = t
			ready = append(ready, t)
		}
	}
	return ready
}

// Next returns up to n requests, in the order of the history. Tasks that need no model are
// extracted and stored immediately. When it returns no requests and none are pending, the
// run is over.
func (j *Job) Next(ctx context.Context, n int) ([]Request, error) {
	if err := j.store.Renew(ctx, j.lease); err != nil {
		return nil, err
	}
	for {
		j.cover = j.branch.Cover(j.nodes)
		var open []Task
		ready := j.openTasks()
		for _, t := range ready {
			if t.Model {
				open = append(open, t)
			} else if err := j.putWithoutModel(ctx, t); err != nil {
				return nil, err
			}
		}
		if len(open) == len(ready) {
			return j.requests(open[:min(len(open), n, max(0, j.opt.MaxCalls-j.p.Calls))])
		}
	}
}

// requests builds the requests for tasks.
func (j *Job) requests(tasks []Task) ([]Request, error) {
	var out []Request
	for _, t := range tasks {
		r, err := j.request(t, j.p.Tries[t.ID])
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	j.p.Calls += len(out)
	return out, nil
}

// Answer handles a model's reply to a request. A good reply is stored; after a bad one the
// task is tried again, possibly with another model. If the store returns an error, as Next
// does too, the same call may be repeated.
func (j *Job) Answer(ctx context.Context, id string, r Reply) error {
	t, open := j.tasks[id]
	if !open {
		return nil // another process stored it meanwhile, or the branch changed
	}
	text, err := t.Clean(r)
	if err != nil {
		j.p.Last = err.Error()
		if errors.Is(err, ErrAuth) {
			j.p.Dead = err.Error()
		} else {
			j.p.Tries[id]++
		}
		return nil
	}
	if err := j.put(ctx, t, text, Model, r.Model); err != nil {
		return err
	}
	j.p.Failed = 0
	j.p.Written++
	j.cover = j.branch.Cover(j.nodes)
	return nil
}

// Fail handles the error of a request without a reply.
func (j *Job) Fail(id, why string) {
	j.p.Tries[id]++
	j.p.Failed++
	j.p.Last = fence.OneLine(why, 200)
	switch {
	case IsAuth(why):
		j.p.Dead = j.p.Last
	case j.p.Failed >= maxFailures:
		j.p.Dead = fmt.Sprintf("%d errors in a row: %s", j.p.Failed, j.p.Last)
	}
}

// putWithoutModel stores a node that needs no model.
func (j *Job) putWithoutModel(ctx context.Context, t Task) error {
	if t.Given != "" {
		return j.put(ctx, t, t.Given, Model, GivenName)
	}
	text, err := j.branch.extract(t, t.target(false))
	if err != nil {
		return err
	}
	if j.opt.Leaves || len(j.opt.Models) == 0 { // otherwise extracts are steps to what a model writes
		j.p.Extracted++
	}
	return j.put(ctx, t, text, Extract, "")
}

// put stores the node of a task. The caller must recompute the cover.
func (j *Job) put(ctx context.Context, t Task, text string, kind Kind, name string) error {
	first, last := &j.branch.Units[t.Start], &j.branch.Units[t.End-1]
	text = j.branch.withLarge(text, t.Start, t.End)
	n := Node{
		Key: keyOf(t.ID, string(kind), fmt.Sprint(promptVersion)), Session: j.branch.Session, Depth: t.Depth, Kind: kind,
		First: first.ID, Last: last.ID, Entries: t.End - t.Start, From: first.Time, To: last.Time, Hash: t.ID,
		Text: text, Tokens: token.OfText(text), Input: t.Input, Name: name, Prompt: promptVersion, Created: j.opt.Now().UnixMilli(),
	}
	if t.Depth == 0 {
		n.Hash = j.branch.rangeHash(t.Start, t.End)
	}
	for _, p := range t.Nodes {
		n.Sources = append(n.Sources, p.Key)
	}
	for _, u := range j.branch.Units[t.Start:t.End] {
		n.Lines = append(n.Lines, u.Hash)
		if t.Depth == 0 {
			n.Sources = append(n.Sources, u.ID)
		}
	}
	if err := j.store.PutSummary(ctx, j.lease, &n); err != nil {
		return err
	}
	j.nodes = append(j.nodes, n)
	delete(j.tasks, t.ID)
	if kind == Model { // keep the tries of an extract, so that it is not retried in this run
		delete(j.p.Tries, t.ID)
	}
	return nil
}

// Close releases the lease.
func (j *Job) Close(ctx context.Context) error { return j.store.Release(ctx, j.lease) }

// Summarizer sends a request to a model. After an error about the API key no model is asked
// again. It may be called concurrently.
type Summarizer interface {
	Summarize(ctx context.Context, r Request) (Reply, error)
}

// Run does all tasks with up to width concurrent requests, and stores each reply when it
// arrives. It calls report after each reply, and renews the lease at each tick, which should
// come several times in LeaseTime. It ends when another process takes the lease.
func (j *Job) Run(ctx context.Context, s Summarizer, width int, tick <-chan time.Time, report func(Progress)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		asks, err := j.Next(ctx, width)
		if err == nil && len(asks) > 0 {
			err = j.ask(ctx, s, asks, tick, report)
		}
		if err != nil || len(asks) == 0 {
			return err
		}
	}
}

// ask sends requests and handles the replies, which are stored even if the run is being
// cancelled.
func (j *Job) ask(ctx context.Context, s Summarizer, asks []Request, tick <-chan time.Time, report func(Progress)) (err error) {
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	replies := make(chan func() error)
	for _, r := range asks {
		go func() {
			reply, err := s.Summarize(asking, r)
			replies <- func() error {
				switch {
				case err == nil:
					return j.Answer(context.WithoutCancel(ctx), r.ID, reply)
				case asking.Err() != nil:
					return asking.Err()
				}
				j.Fail(r.ID, err.Error())
				return nil
			}
		}()
	}
	for left := len(asks); left > 0; {
		failed := error(nil)
		select {
		case take := <-replies:
			left--
			failed = take()
			report(j.Progress())
		case <-tick: // if the store is busy, the next tick tries again
			if failed = j.store.Renew(ctx, j.lease); !errors.Is(failed, ErrFenced) {
				failed = nil
			}
		}
		if errors.Is(failed, ErrFenced) {
			cancel() // nothing could be stored any more
		}
		err = cmp.Or(err, failed)
	}
	return err
}

package summary

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

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

// Job summarizes a branch. Its methods may be called concurrently.
type Job struct {
	mu     sync.Mutex
	opt    Options
	branch *Branch
	store  Store
	lease  Lease
	p      Progress
	nodes  []Node
	cover  *Cover
	tasks  map[string]Task
}

// Branch returns what the run summarises.
func (j *Job) Branch() *Branch { return j.branch }

// NewJob begins a run, or continues one. p is the zero Progress, or what Progress returned.
func NewJob(ctx context.Context, st Store, b *Branch, o Options, p Progress) (*Job, error) {
	j := &Job{opt: o.withDefaults(), branch: b, store: st, p: p, tasks: make(map[string]Task)}
	if j.p.Tries == nil {
		j.p.Tries = make(map[string]int)
	}
	if j.p.Began == 0 {
		j.p.Began = o.Now().UnixMilli()
		l, err := st.Lease(ctx, b.Session, o.LeaseFor, o.Take)
		if err != nil {
			return nil, err
		}
		j.p.Token = l.Token
	}
	j.lease = Lease{Session: b.Session, Token: j.p.Token, For: o.LeaseFor}
	var err error
	if j.nodes, err = st.Summaries(ctx, b.Session); err != nil {
		return nil, err
	}
	j.cover = b.Cover(j.nodes)
	j.openTasks()
	return j, nil
}

// Progress returns the state of the run.
func (j *Job) Progress() Progress {
	j.mu.Lock()
	defer j.mu.Unlock()
	p := j.p
	p.Tries = maps.Clone(p.Tries)
	return p
}

// Cover returns how the nodes cover the branch now.
func (j *Job) Cover() *Cover {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.cover
}

// model reports whether models are asked and, if not, why.
func (j *Job) model() (bool, string) {
	switch {
	case len(j.opt.Models) == 0:
		return false, ""
	case j.p.Dead != "":
		return false, j.p.Dead
	case j.p.Calls >= j.opt.MaxCalls:
		return false, fmt.Sprintf("the limit of %d calls is reached", j.opt.MaxCalls)
	case j.opt.Now().UnixMilli()-j.p.Began > j.opt.MaxTime.Milliseconds():
		return false, fmt.Sprintf("the limit of %v is reached", j.opt.MaxTime)
	}
	return true, ""
}

// Bound is why the run stopped asking models, "" if it did not.
func (j *Job) Bound() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, why := j.model()
	return why
}

// Left is the number of summaries that a model should have written but did not.
func (j *Job) Left() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.opt.Models) == 0 {
		return 0
	}
	return j.branch.planOf(j.cover, j.opt, true).Calls
}

// mayAsk reports whether a model can still be asked for a task.
func (j *Job) mayAsk(id string) bool {
	model, _ := j.model()
	return model && j.p.Tries[id] < perModel*len(j.opt.Models)
}

// openTasks updates and returns the tasks whose sources are made.
func (j *Job) openTasks() []Task {
	clear(j.tasks)
	var ready []Task
	for _, t := range j.branch.Tasks(j.cover, j.opt, j.mayAsk) {
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
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.store.Renew(ctx, j.lease); err != nil {
		return nil, err
	}
	for {
		var open []Task
		stored := false
		for _, t := range j.openTasks() {
			if !t.Free && t.Given == "" && j.mayAsk(t.ID) {
				open = append(open, t)
				continue
			}
			if err := j.putWithoutModel(ctx, t); err != nil {
				return nil, err
			}
			stored = true
		}
		if !stored {
			return j.requests(open[:min(len(open), n, max(0, j.opt.MaxCalls-j.p.Calls))])
		}
		j.cover = j.branch.Cover(j.nodes)
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
// task is tried again, possibly with another model.
func (j *Job) Answer(ctx context.Context, id string, r Reply) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	t, open := j.tasks[id]
	if !open {
		return nil // another process stored it meanwhile, or the branch changed
	}
	text, err := t.Clean(r)
	switch {
	case errors.Is(err, ErrAuth):
		j.p.Dead, j.p.Last = err.Error(), err.Error()
		return nil
	case err != nil:
		j.p.Tries[id]++
		j.p.Last = err.Error()
		return nil
	}
	j.p.Failed = 0
	j.p.Written++
	err = j.put(ctx, t, text, Model, r.Model)
	j.cover = j.branch.Cover(j.nodes)
	return err
}

// Fail handles the error of a request without a reply.
func (j *Job) Fail(id, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.p.Tries[id]++
	j.p.Failed++
	j.p.Last = fence.OneLine(why, 200)
	switch {
	case IsAuth(why):
		j.p.Dead = fence.OneLine(why, 200)
	case j.p.Failed >= maxFailures:
		j.p.Dead = fmt.Sprintf("%d errors in a row: %s", j.p.Failed, j.p.Last)
	}
}

// putWithoutModel stores a node that needs no model.
func (j *Job) putWithoutModel(ctx context.Context, t Task) error {
	if t.Given != "" {
		return j.put(ctx, t, t.Given, Model, GivenName)
	}
	text, err := j.branch.Extract(t, t.target(false))
	if err != nil {
		return err
	}
	if !t.Free || len(j.opt.Models) == 0 {
		j.p.Extracted++
	}
	return j.put(ctx, t, text, Extract, "")
}

// put stores a node. The caller must recompute the cover.
func (j *Job) put(ctx context.Context, t Task, text string, kind Kind, name string) error {
	n := j.node(t, j.branch.withLarge(text, t.Start, t.End), kind, name)
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

// node makes the node of a task.
func (j *Job) node(t Task, text string, kind Kind, name string) Node {
	first, last := &j.branch.Units[t.Start], &j.branch.Units[t.End-1]
	n := Node{
		Key: keyOf(t.ID, string(kind), fmt.Sprint(promptVersion)), Session: j.branch.Session, Depth: t.Depth, Kind: kind,
		First: first.ID, Last: last.ID, Entries: t.End - t.Start, From: first.Time, To: last.Time,
		Text: text, Tokens: token.OfText(text), Input: t.Input, Name: name, Prompt: promptVersion, Created: j.opt.Now().UnixMilli(),
	}
	for _, p := range t.Nodes {
		n.Sources = append(n.Sources, p.Key)
	}
	n.Hash = t.ID
	if t.Depth == 0 {
		n.Hash = j.branch.rangeHash(t.Start, t.End)
	}
	for _, u := range j.branch.Units[t.Start:t.End] {
		n.Lines = append(n.Lines, u.Hash)
		if t.Depth == 0 {
			n.Sources = append(n.Sources, u.ID)
		}
	}
	return n
}

// Renew extends a lease that is shorter than a model may take to reply. It returns
// ErrFenced when another process has taken the lease.
func (j *Job) Renew(ctx context.Context) error { return j.store.Renew(ctx, j.lease) }

// Close releases the lease.
func (j *Job) Close(ctx context.Context) error { return j.store.Release(ctx, j.lease) }

// Summarizer sends a request to a model. After an error about the API key no model is asked
// again.
type Summarizer interface {
	Summarize(ctx context.Context, r Request) (Reply, error)
}

// Run does all tasks with up to width concurrent requests, and stores each reply when it
// arrives. It calls report after each reply, never concurrently.
func (j *Job) Run(ctx context.Context, s Summarizer, width int, report func(Progress)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		asks, err := j.Next(ctx, width)
		if err != nil || len(asks) == 0 {
			return err
		}
		errs := make([]error, len(asks))
		var wg sync.WaitGroup
		var tell sync.Mutex
		for i, r := range asks {
			wg.Add(1)
			go func() {
				defer wg.Done()
				errs[i] = j.ask(ctx, s, r)
				tell.Lock()
				defer tell.Unlock()
				report(j.Progress())
			}()
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
}

// ask sends one request and handles the reply, which is stored even if the run is being
// cancelled.
func (j *Job) ask(ctx context.Context, s Summarizer, r Request) error {
	reply, err := s.Summarize(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		j.Fail(r.ID, err.Error())
		return nil
	}
	return j.Answer(context.WithoutCancel(ctx), r.ID, reply)
}

// Plan is what a run would do.
type Plan struct {
	// Leaves are the leaves to be made for messages that none covers, Nodes is the number of
	// summaries above leaves.
	Leaves []Task
	Nodes  int
	// Calls is the number of requests if every reply is good, Input and Output their size.
	Calls         int
	Input, Output token.Count
	// Messages is the number of messages of the branch, Covered how many a leaf covers
	// already.
	Messages, Covered int
}

// PlanOf determines what a run would do, without asking a model. model is set when models
// can be asked.
func (b *Branch) PlanOf(nodes []Node, o Options, model bool) Plan {
	return b.planOf(b.Cover(nodes), o, model)
}

func (b *Branch) planOf(c *Cover, o Options, model bool) Plan {
	p := Plan{Messages: len(b.Units)}
	for _, l := range c.Leaves {
		p.Covered += l.End - l.Start
	}
	for _, t := range b.Tasks(c, o, func(string) bool { return model }) {
		if model && !t.Free && t.Given == "" {
			p.Calls++
			p.Input += t.Input
			p.Output += t.target(false)
		}
		switch {
		case t.Replaces != nil || t.Given != "":
		case t.Depth > 0:
			p.Nodes++
		default:
			p.Leaves = append(p.Leaves, t)
		}
	}
	return p
}

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/repo"
)

// Name is the name of this engine.
const Name = "kotadb"

// Options name a tree and its database, and say how to run KotaDB.
type Options struct {
	Root      string // absolute, with symbolic links resolved
	Dir       string // directory for the database, outside Root
	Git       bool   // Root is a git work tree
	Languages lang.Set
	// Command is the server's program and its arguments.
	Command []string
	// Guard is the command that runs the function Guard, put before Command. Without it the
	// server outlives this process when that is killed.
	Guard   []string
	Environ []string // environment of this process, KEY=VALUE
	Version string   // version of this program
	// Start, Query and Index are time limits for starting, for a question and for indexing.
	Start, Query, Index time.Duration
	// Rest is the pause before a restart after the first failure; 0 means 250 ms.
	Rest time.Duration
}

// Engine asks KotaDB. The first question that needs the server starts it. It is safe for
// concurrent use; questions are serialized.
type Engine struct {
	opts   Options
	store  *store
	client *client
	// call is client.call; tests replace it.
	call func(ctx context.Context, tool string, args any, limit time.Duration) (string, error)

	mu     sync.Mutex
	dir    string // directory of the index, "" without one
	record record
}

var _ kota.Engine = (*Engine)(nil)

// Open locks the repository for this process: only one process may ask KotaDB about it, others
// get kota.ErrBusy. It starts no server. Close releases the lock.
func Open(o Options) (*Engine, error) {
	s, err := openStore(o.Dir)
	if err != nil {
		return nil, err
	}
	if o.Rest == 0 {
		o.Rest = firstRest
	}
	e := &Engine{opts: o, store: s, client: &client{launch: launch{
		command: o.Command, guard: o.Guard, dir: o.Root, version: o.Version, limit: o.Start, firstRest: o.Rest,
	}}}
	e.call = e.client.call
	if e.dir, e.record, err = s.current(o.Root); err == nil {
		e.client.launch.environ = o.environ(e.dir)
	}
	return e, nil
}

// files returns the tree's files.
func (o Options) files() index.Files {
	return index.Files{Root: o.Root, Git: o.Git, Languages: o.Languages}
}

// environ returns the server's environment: its database is in dir, it sends no error reports,
// and it logs only errors.
func (o Options) environ(dir string) []string {
	out := slices.DeleteFunc(slices.Clone(o.Environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "KOTADB_PATH" || name == "SENTRY_DSN" || name == "LOG_LEVEL"
	})
	return append(out, "KOTADB_PATH="+filepath.Join(dir, dbName), "LOG_LEVEL=error")
}

// Close stops the server and releases the lock.
func (e *Engine) Close() {
	e.client.close()
	e.store.close()
}

// Process returns "stopped" or "running" for the server.
func (e *Engine) Process() string { return e.client.state() }

// Noise returns the end of the server's standard error and of what it printed besides answers, at
// most 2 KB.
func (e *Engine) Noise() string { return e.client.noise.String() }

// Restart stops the server. The next question starts it without a pause.
func (e *Engine) Restart() {
	e.client.close()
	e.client.mu.Lock()
	defer e.client.mu.Unlock()
	e.client.failures, e.client.restTill = 0, time.Time{}
}

// repository returns the name under which a tree is registered. It is the name that KotaDB gives
// to its working directory, so that KotaDB does not index that a second time.
func (o Options) repository() string { return "local/" + filepath.Base(o.Root) }

// Index indexes the tree from scratch. The previous index stays in use until the new one is
// complete.
func (e *Engine) Index(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	files, err := e.opts.files().Look(ctx)
	if err != nil {
		return err
	}
	dir, err := e.store.fresh()
	if err != nil {
		return err
	}
	r, err := e.build(ctx, dir)
	if err != nil {
		_ = os.RemoveAll(dir)
		e.client.setEnviron(e.opts.environ(e.dir))
		return err
	}
	r.Seen = statuses(files)
	if err := e.store.keep(dir, r); err != nil {
		return err
	}
	e.dir, e.record = dir, r
	return nil
}

// build indexes the tree into a directory.
func (e *Engine) build(ctx context.Context, dir string) (record, error) {
	r := record{Repository: e.opts.repository(), Root: e.opts.Root}
	e.client.setEnviron(e.opts.environ(dir))
	text, err := e.call(ctx, toolIndex, indexArgs{Repository: r.Repository, LocalPath: r.Root}, e.opts.Index)
	if err != nil {
		return r, err
	}
	var done indexAnswer
	if err := decode(toolIndex, text, &done); err != nil {
		return r, err
	}
	if done.Status != "completed" {
		return r, &AnswerError{toolIndex, "status " + done.Status + ": " + done.Message}
	}
	r.Stats = done.Stats
	if text, err = e.call(ctx, toolRecent, recentArgs{Limit: everything, Repository: r.Repository}, e.opts.Query); err != nil {
		return r, err
	}
	var recent recentAnswer
	if err := decode(toolRecent, text, &recent); err != nil {
		return r, err
	}
	for _, f := range recent.Results {
		r.Files = append(r.Files, f.Path)
	}
	slices.Sort(r.Files)
	r.Files = slices.Compact(r.Files)
	return r, nil
}

// setEnviron changes the server's environment, and therefore stops a running server.
func (c *client) setEnviron(environ []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop(false)
	c.launch.environ = environ
}

// view is what a question needs: the record, the current tree and the age of the index.
type view struct {
	record    record
	there     map[string]bool // files of the current tree
	languages lang.Set
	source    kota.Source
}

// look returns a view, or kota.ErrNotIndexed without an index.
func (e *Engine) look(ctx context.Context) (view, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := view{record: e.record, there: make(map[string]bool), languages: e.opts.Languages}
	if e.dir == "" {
		return v, kota.ErrNotIndexed
	}
	files, err := e.opts.files().Look(ctx)
	if err != nil {
		return v, err
	}
	for _, f := range files {
		v.there[f.Path] = true
	}
	v.source.Freshness = freshness(changed(e.record.Seen, statuses(files)))
	return v, nil
}

// freshness says how many files changed since KotaDB indexed them.
func freshness(changed int) string {
	switch changed {
	case 0:
		return "KotaDB's index, no file changed since"
	case 1:
		return "KotaDB's index, 1 file changed since: pictx kota index --engine kotadb"
	}
	return fmt.Sprintf("KotaDB's index, %d files changed since: pictx kota index --engine kotadb", changed)
}

// Find returns the path, relative to the root, of the first name that means a file of KotaDB's
// index. The error is about the last name.
func (e *Engine) Find(names ...string) (string, error) {
	v, err := e.look(context.Background())
	if err != nil {
		return "", err
	}
	return e.opts.files().Pick(v.files(), names...)
}

// Files lists the files of KotaDB's index that still exist.
func (e *Engine) Files() []string {
	v, err := e.look(context.Background())
	if err != nil {
		return nil
	}
	return v.files()
}

// files lists the files of KotaDB's index that still exist, sorted.
func (v view) files() []string {
	return slices.DeleteFunc(slices.Clone(v.record.Files), func(p string) bool { return !v.there[p] })
}

// has returns an error unless KotaDB has a file. KotaDB would answer that nothing depends on a
// file it does not have.
func (e *Engine) has(v view, name string) error {
	_, err := e.opts.files().Pick(v.files(), name)
	return err
}

// Status returns what is known without asking KotaDB.
func (e *Engine) Status(ctx context.Context) (kota.Status, error) {
	s := kota.Status{
		Engine: Name, Root: e.opts.Root, Index: e.opts.Dir, Skipped: []kota.Count{},
		ImportsOnly: kota.Unknown, Partial: kota.Unknown, Edges: kota.Unknown, Inferred: kota.Unknown,
		Unresolved: kota.Unknown, Computed: kota.Unknown, External: kota.Unknown,
	}
	v, err := e.look(ctx)
	if errors.Is(err, kota.ErrNotIndexed) {
		return s, nil
	} else if err != nil {
		return s, err
	}
	s.Indexed, s.Bytes = true, repo.Size(e.dir)
	s.Files, s.Symbols = kota.Number(v.record.Stats.Files), kota.Number(v.record.Stats.Symbols)
	s.Notes = []string{v.source.Freshness}
	return s, nil
}

// Map is not supported by KotaDB.
func (e *Engine) Map(context.Context, kota.MapQuery) (kota.Map, error) {
	return kota.Map{}, &kota.UnsupportedError{Engine: "KotaDB", Question: "give an overview", Verb: "map"}
}

// Cycles is not supported by KotaDB.
func (e *Engine) Cycles(context.Context) (kota.Cycles, error) {
	return kota.Cycles{}, &kota.UnsupportedError{Engine: "KotaDB", Question: "list cycles", Verb: "cycles"}
}

// Graph is not supported by KotaDB.
func (e *Engine) Graph(context.Context, kota.GraphQuery) (kota.Graph, error) {
	return kota.Graph{}, &kota.UnsupportedError{Engine: "KotaDB", Question: "draw a graph", Verb: "graph"}
}

// ask calls a tool and decodes its answer.
func (e *Engine) ask(ctx context.Context, tool string, args, to any) error {
	text, err := e.call(ctx, tool, args, e.opts.Query)
	if err != nil {
		return err
	}
	return decode(tool, text, to)
}

// decode decodes an answer, which is JSON unless something went wrong.
func decode(tool, text string, to any) error {
	var complaint struct {
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	if err := json.Unmarshal([]byte(text), &complaint); err != nil {
		return &AnswerError{tool, text}
	}
	if complaint.Error != "" {
		return &AnswerError{tool, complaint.Error}
	}
	if strings.Contains(strings.ToLower(complaint.Message), "not found") {
		return complaintError(tool, complaint.Message)
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		return &AnswerError{tool, "it is not the answer it should be: " + err.Error()}
	}
	return nil
}

// complaintError returns the error for a message that KotaDB gives instead of an answer.
func complaintError(tool, message string) error {
	if file, ok := strings.CutPrefix(message, "File not found: "); ok {
		file, _, _ = strings.Cut(file, ". ")
		return &kota.UnknownFileError{File: file}
	}
	if strings.HasPrefix(message, "Repository not found") {
		return kota.ErrNotIndexed
	}
	return &AnswerError{tool, message}
}

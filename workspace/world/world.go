package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/kota/mcp"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// World implements hooks.World. It keeps settings, stores and session files open between
// requests and checks them for changes at each, so that a process that answers many events
// gives the same answers as a new one.
type World struct {
	*workspace.Workspace
	// OneShot is set when this process answers one event.
	OneShot bool
	// Replaced is called if a newer program has changed a store, so that another process
	// must take over.
	Replaced func(error)

	mu       sync.Mutex
	stores   map[string]*openStore
	sessions map[string]*sessionSlot
	settings map[string]*stampedSettings
	// decisionLogs are the logs of decisions by the root of their project.
	decisionLogs map[string]*jsonl.Decisions
	// kotaDBs are the KotaDBs that this process has taken, by the root of their
	// project.
	kotaDBs map[string]*mcp.Server
	// over are the stores of sessions in memory that have ended. Work that is still under
	// way must not create them again.
	over map[string]bool
}

var _ hooks.World = (*World)(nil)

// New returns a World with nothing opened yet.
func New(a *workspace.Workspace) *World {
	return &World{
		Workspace: a, Replaced: func(error) {},
		stores: make(map[string]*openStore), sessions: make(map[string]*sessionSlot),
		settings: make(map[string]*stampedSettings), over: make(map[string]bool),
		decisionLogs: make(map[string]*jsonl.Decisions), kotaDBs: make(map[string]*mcp.Server),
	}
}

// openStore is a store, with the identity of the file from which it was opened.
type openStore struct {
	store *store.Store
	file  os.FileInfo
}

// sessionSlot is a session that one request at a time can use.
type sessionSlot struct {
	free chan struct{} // holds a token while the session is not in use
	open history.Session
}

// stampedSettings are settings, with the state of their files when they were read.
type stampedSettings struct {
	*workspace.Settings
	stamp string
}

// Settings implements hooks.World.
func (w *World) Settings(cwd string, trusted *bool) (*config.Resolved, error) {
	_, set, err := w.inForce(cwd, trusted)
	if err != nil {
		return nil, err
	}
	return set.Resolved, nil
}

// inForce returns the project of a directory and its settings.
func (w *World) inForce(cwd string, trust *bool) (workspace.Project, *workspace.Settings, error) {
	pl, err := w.placeOf(cwd)
	if err != nil {
		return pl, nil, err
	}
	set, err := w.settingsOf(pl, trust)
	return pl, set, err
}

// placeOf returns the place of a directory, "" for the working directory.
func (w *World) placeOf(cwd string) (workspace.Project, error) {
	if cwd == "" || w.ProjectDir != "" {
		return w.Here()
	}
	agentDir, err := pi.AgentDir(w.Env.Getenv)
	if err != nil {
		return workspace.Project{}, err
	}
	return workspace.FindProject(cwd, agentDir)
}

// settingsOf returns the settings, and reads them again if one of their files has changed.
func (w *World) settingsOf(pl workspace.Project, trust *bool) (*workspace.Settings, error) {
	key := pl.Root
	if trust != nil {
		key = fmt.Sprintf("%s\x00%v", key, *trust)
	}
	stamp := stampOf(pl)
	w.mu.Lock()
	known := w.settings[key]
	w.mu.Unlock()
	if known != nil && known.stamp == stamp {
		return known.Settings, nil
	}
	set, err := w.TrustedSettings(pl, trust)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settings[key] = &stampedSettings{set, stamp}
	return set, nil
}

// stampOf describes the state of every settings file.
func stampOf(pl workspace.Project) string {
	var b strings.Builder
	for _, path := range append(workspace.SettingFiles(pl), filepath.Join(pl.AgentDir, "trust.json"), pl.OwnFile()) {
		if st, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%d %d", st.Size(), st.ModTime().UnixNano())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Project implements hooks.World.
func (w *World) Project(ctx context.Context, r *hooks.Request) (*hooks.Project, error) {
	pl, set, err := w.inForce(r.CWD, r.Trust())
	if err != nil {
		return nil, err
	}
	p := &requestProject{World: w, Project: pl, set: set, request: r, file: r.Session.File}
	if p.file == "" {
		if r.Event == hooks.EventSessionStart {
			w.begin(p.ephemeral(".db"))
		}
		if err := p.keepEntries(ctx); err != nil {
			return nil, err
		}
	}
	out := &hooks.Project{Root: p.Root, Opened: p.open(ctx), Ports: p}
	if p.file != "" && !history.Ignored(set.Config.History.Ignore, r.Session.File, r.CWD) {
		out.Stored = w.Sources().Read(p.file)
	}
	return out, nil
}

// isOver reports whether the session in memory whose store is at path has ended.
func (w *World) isOver(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over[path]
}

// openAt returns the store at path. It opens the store if that is not open yet, or if the
// file was replaced.
func (w *World) openAt(ctx context.Context, path string) (*store.Store, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over[path] {
		return nil, ErrSessionOver
	}
	known := w.stores[path]
	if known != nil {
		now, err := os.Stat(path)
		if err == nil && os.SameFile(known.file, now) {
			return known.store, w.checkVersion(ctx, known.store)
		}
		delete(w.stores, path) // left to the end of the process, as every store of a hook
	}
	st, err := store.Open(ctx, path, sqlite.Hook, w.Env.Now)
	if err != nil {
		if errors.Is(err, sqlite.ErrOlder) { // which a hook must not migrate
			err = fmt.Errorf("%w: run pictx store migrate", err)
		}
		return nil, err
	}
	now, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	w.stores[path] = &openStore{st, now}
	return st, nil
}

// ErrSessionOver is returned for a session in memory that has ended.
var ErrSessionOver = errors.New("the session is over")

// begin allows the store at path to be created again.
func (w *World) begin(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.over, path)
}

// checkVersion detects that another program has changed the schema.
func (w *World) checkVersion(ctx context.Context, st *store.Store) error {
	v, err := st.Version(ctx)
	if err != nil || v == sqlite.SchemaVersion() {
		return err
	}
	err = fmt.Errorf("%w (schema %d)", hooks.ErrReplaced, v)
	w.Replaced(err)
	return err
}

// forget closes and deletes a store.
func (w *World) forget(path string) error {
	w.mu.Lock()
	known := w.stores[path]
	delete(w.stores, path)
	w.over[path] = true
	w.mu.Unlock()
	if known != nil {
		return known.store.Discard()
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	st, err := store.Open(context.Background(), path, sqlite.Hook, w.Env.Now)
	if err != nil {
		return errors.Join(os.Remove(path))
	}
	return st.Discard()
}

// Close closes the sessions. It leaves the stores open until the process ends.
func (w *World) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sessions {
		select {
		case <-s.free:
			if s.open != nil {
				_ = s.open.Close()
			}
		default: // still in use; the process ends anyway
		}
	}
	return nil
}

// slot returns the slot of a session.
func (w *World) slot(file string) *sessionSlot {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sessions[file]
	if s == nil {
		s = &sessionSlot{free: make(chan struct{}, 1)}
		if agentDir, err := pi.AgentDir(w.Env.Getenv); err == nil && !w.OneShot {
			jsonl.HoldSession(filepath.Join(agentDir, "pictx"), file)
		}
		s.free <- struct{}{}
		w.sessions[file] = s
	}
	return s
}

// take waits until no other request uses the session.
func (s *sessionSlot) take(ctx context.Context) error {
	select {
	case <-s.free:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for session: %w", ctx.Err())
	}
}

func (s *sessionSlot) give() { s.free <- struct{}{} }

// refresh updates the session from its file. Without a file, or without entries in it, the
// session is empty.
func (s *sessionSlot) refresh(sources history.Source, file string) error {
	if s.open != nil {
		err := s.open.Refresh()
		if err == nil {
			return nil
		}
		_ = s.open.Close()
		s.open = nil
		if !errors.Is(err, history.ErrReplaced) {
			return err
		}
	}
	open, err := sources.Open(file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, history.ErrNoSession) {
		return nil
	}
	s.open = open
	return err
}

// Log returns a function that appends to the log of the hooks. It ignores errors.
func (w *World) Log(transport string) func(hooks.Record) {
	agentDir, err := pi.AgentDir(w.Env.Getenv)
	if err != nil {
		return nil
	}
	log := jsonl.Log{Dir: workspace.LogDir(agentDir)}
	return func(r hooks.Record) {
		e := jsonl.LogEntry{
			Time: r.Time, Event: r.Event, Session: r.Session, Transport: transport,
			Ms: float64(r.Took) / float64(time.Millisecond), Bytes: int(r.Bytes), Result: r.Result,
			Decision: r.Decision, Error: r.Error, Asked: r.Asked,
		}
		pl, set, err := w.inForce(r.CWD, nil)
		e.Project = pl.Key
		if err == nil {
			mask(workspace.Redactor(set.Config.Redact), &e)
		}
		_ = log.Append(e)
	}
}

// mask masks a line of the log. It holds no texts, but names that an agent sent and errors, which
// may quote.
func mask(r history.Redactor, e *jsonl.LogEntry) {
	for _, field := range []*string{&e.Event, &e.Decision, &e.Error, &e.Asked} {
		if r != nil {
			*field = history.RedactText(*field, r)
		}
	}
}

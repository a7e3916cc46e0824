package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// requestProject implements the ports of hooks.Project for one request.
type requestProject struct {
	*World
	workspace.Project
	set     *workspace.Settings
	request *hooks.Request
	file    string       // of the session; of one in memory, where its entries are kept
	held    *sessionSlot // that this request uses

	reading sync.Once
	masking history.Redactor // nil for nothing
}

// Config implements hooks.Ports.
func (p *requestProject) Config() *config.Resolved { return p.set.Resolved }

// inMemory reports whether the agent keeps the session in memory only.
func (p *requestProject) inMemory() bool { return p.request.Session.File == "" }

// storePath returns the path of the session's store. A session in memory has a store of its
// own, unless the user wants it in the project's.
func (p *requestProject) storePath() string {
	if p.inMemory() && !p.set.Config.History.Ephemeral {
		return p.ephemeral(".db")
	}
	return p.StorePath()
}

// Store implements hooks.Ports.
func (p *requestProject) Store(ctx context.Context) (hooks.Stores, error) {
	st, err := p.openAt(ctx, p.storePath())
	if err != nil {
		return hooks.Stores{}, err
	}
	return hooks.Stores{
		History: history.RedactedStore(st.Entries, p.redactor()), Marks: st.Marks, Pins: st.Marks, Summaries: st.Summaries, Jobs: st.Summaries, Counts: st.Summaries,
		Objects: workspace.MaskedObjects(st, p.redactor()),
		Search:  searchPorts(st),
	}, nil
}

// redactor returns the Redactor of the settings, made once per request.
func (p *requestProject) redactor() history.Redactor {
	p.reading.Do(func() { p.masking = workspace.Redactor(p.set.Config.Redact) })
	return p.masking
}

// Search implements hooks.Ports.
func (p *requestProject) Search(ctx context.Context, scope string) (hooks.SearchStores, error) {
	path := p.StorePath()
	if scope == recall.ScopeSession {
		path = p.storePath()
	}
	st, err := p.openAt(ctx, path)
	if err != nil {
		return hooks.SearchStores{}, err
	}
	return searchPorts(st), nil
}

func searchPorts(st *store.Store) hooks.SearchStores {
	return hooks.SearchStores{Search: st.Search, Entries: st.Search, Forks: st.Search, Title: st.Entries.Title}
}

// open opens the store of the session if it exists and the event needs it. It ignores
// errors, because they occur again when a system asks for the store.
func (p *requestProject) open(ctx context.Context) *hooks.Stores {
	if !slices.Contains(keepingEvents, p.request.Event) || !p.set.Config.History.Enabled || !workspace.IsFile(p.storePath()) {
		return nil
	}
	st, err := p.Store(ctx)
	if err != nil {
		return nil
	}
	return &st
}

// keepingEvents are the events that store or recall history.
var keepingEvents = []string{
	hooks.EventSessionStart, hooks.EventTurnEnd, hooks.EventAgentEnd, hooks.EventBeforeCompact,
	hooks.EventSessionShutdown, hooks.EventTool,
}

// Busy implements hooks.Ports.
func (p *requestProject) Busy(err error) bool { return errors.Is(err, sqlite.ErrBusy) }

// Unread implements hooks.Ports. The latest sessions come first, without that of the
// request.
func (p *requestProject) Unread(ctx context.Context) ([]history.File, error) {
	st, err := p.openAt(ctx, p.StorePath())
	if err != nil {
		return nil, err
	}
	if err := st.SeenFrom(ctx, p.Key, p.Root); err != nil {
		return nil, err
	}
	p.sweep()
	kept, err := workspace.KeptSessions(p.Sources(), p.Project, false)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(kept, func(a, b workspace.KeptSession) int { return cmp.Compare(b.Head.Time, a.Head.Time) })
	var out []history.File
	for _, k := range kept {
		if k.Place != p.file && !history.Ignored(p.set.Config.History.Ignore, k.Place, k.Head.CWD) {
			out = append(out, p.Sources().Read(k.Place))
		}
	}
	return out, ctx.Err()
}

// emptySession is a session without a file.
type emptySession struct{}

// Entries implements hooks.Session.
func (emptySession) Entries() *message.Tree { return &message.Tree{} }

// Line implements hooks.Session.
func (emptySession) Line(*message.Node) ([]byte, error) { return nil, history.ErrNoSession }

// Session implements hooks.Ports.
func (p *requestProject) Session(ctx context.Context) (hooks.Session, error) {
	slot := p.slot(p.file)
	if p.held == nil {
		if err := slot.take(ctx); err != nil {
			return nil, err
		}
		p.held = slot
		if err := slot.refresh(p.Sources(), p.file); err != nil {
			return nil, err
		}
	}
	if slot.open == nil {
		return emptySession{}, nil
	}
	return &requestSession{Session: slot.open, project: p, ctx: ctx}, nil
}

// Close implements hooks.Ports.
func (p *requestProject) Close() {
	if p.held != nil {
		p.held.give()
		p.held = nil
	}
}

// The size in bytes from which on a write-ahead log is moved into the database. A process
// that is the first to open a store reads the whole log, which takes a millisecond or two
// per megabyte. Where every event has a process of its own, the log must stay short.
const (
	bigLog     = 64 << 20
	oneShotLog = 1 << 20
)

// Maintain implements hooks.Ports.
func (p *requestProject) Maintain(ctx context.Context, final bool) error {
	if final && p.inMemory() {
		return p.dropEntries()
	}
	return p.emptyLog(ctx, final)
}

// emptyLog moves a large write-ahead log into the database.
func (p *requestProject) emptyLog(ctx context.Context, final bool) error {
	least := int64(bigLog)
	switch {
	case final:
		least = 1
	case p.OneShot:
		least = oneShotLog
	}
	path := p.StorePath()
	if wal, err := os.Stat(path + "-wal"); err != nil || wal.Size() < least {
		return nil
	}
	st, err := p.openAt(ctx, path)
	if err != nil {
		return err
	}
	return st.Checkpoint(ctx)
}

// sessionID matches ids of sessions in memory that can be file names.
const sessionID = `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`

// ephemeral returns the path of a file of a session in memory.
func (p *requestProject) ephemeral(end string) string {
	return filepath.Join(workspace.EphemeralDir(p.AgentDir), p.request.Session.ID+end)
}

// keepEntries writes the entries of a session in memory to a session file, each once, so
// that everything else can read them.
func (p *requestProject) keepEntries(ctx context.Context) error {
	if !regexp.MustCompile(sessionID).MatchString(p.request.Session.ID) {
		return fmt.Errorf("keep session: its id %q names no file", p.request.Session.ID)
	}
	p.file = p.ephemeral(".jsonl")
	if len(p.request.Entries) == 0 {
		return nil
	}
	s, err := p.Session(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	err = pi.Keep(p.file, s.Entries(), p.request.Entries, message.Header{
		ID: p.request.Session.ID, CWD: p.request.CWD, Time: p.Env.Now().UnixMilli(),
	})
	if p.isOver(p.ephemeral(".db")) { // it ended meanwhile, and its files were deleted
		return errors.Join(err, p.dropEntries(), ErrSessionOver)
	}
	return err
}

// dropEntries deletes the files of a session in memory.
func (p *requestProject) dropEntries() error {
	over := p.forget(p.ephemeral(".db")) // first: what is kept from now on is dropped at once
	err := os.Remove(p.ephemeral(".jsonl"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, over)
}

// forgottenAfter is the age at which files of sessions in memory are deleted whose agent
// was killed.
const forgottenAfter = 7 * 24 * time.Hour

// sweep deletes the files of sessions in memory whose agents were killed.
func (p *requestProject) sweep() {
	dir := workspace.EphemeralDir(p.AgentDir)
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && p.Env.Now().Sub(info.ModTime()) > forgottenAfter {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// requestSession is the session of a request without text that was erased from its store.
// That is looked up when the first line is read, because most requests read none.
type requestSession struct {
	history.Session
	project *requestProject
	ctx     context.Context
	masked  history.Session // nil until the first line
}

// Line implements history.Session. Without a store nothing was erased, and nothing is
// stored if it cannot be opened.
func (s *requestSession) Line(n *message.Node) ([]byte, error) {
	if s.masked == nil {
		s.masked = s.Session
		var masks history.Masks
		if path := s.project.storePath(); workspace.IsFile(path) {
			if st, err := s.project.openAt(s.ctx, path); err == nil {
				masks, _ = st.Eraser.Masks(s.ctx) // nil after an error
			}
		}
		if masks = masks.And(s.project.redactor()); masks != nil {
			s.masked = history.MaskedSession(s.Session, masks)
		}
	}
	return s.masked.Line(n)
}

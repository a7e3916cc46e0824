package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/store"
)

// TimeText formats a time for the user.
func TimeText(t object.Time) string {
	if t == object.Forever {
		return "-"
	}
	return t.Std().Local().Format(text.SecondForm)
}

// Past returns an event in the past tense.
func Past(h object.EventKind) string {
	if h == object.Discovered {
		return "discovered"
	}
	return string(h) + "d"
}

// ObjectSession is the state of objects in a session, at the end of its file. Without a file
// nothing is in its context.
type ObjectSession struct {
	Id string
	// events are, by object, what caused their states on the branch; met are the objects with
	// events on any branch.
	events map[string]object.Event
	met    map[string]bool
	pruned map[string]string // the reasons, by entry
	pins   policy.Pins
	cwd    string
	view   *object.View
	// pending are the changes that the agent has not made yet.
	pending []state.Change
}

// SessionName returns the session that a flag names, else that of the agent that runs this
// process, else "".
func (a *Workspace) SessionName(flag string) string {
	return cmp.Or(flag, a.Env.Getenv("PI_SESSION_ID"))
}

// ObjectsOf returns the session whose objects are to be listed: the latest in the store, or
// that of SessionName.
func ObjectsOf(ctx context.Context, a *Workspace, st *store.Store, flag string, latest bool) (string, error) {
	if !latest {
		return a.SessionName(flag), nil
	}
	rows, err := st.Entries.Latest(ctx, 1)
	if err == nil && len(rows) == 0 {
		err = exit.WithHint(exit.NotFound, "pictx import", errors.New("list objects: no session is stored yet"))
	}
	if err != nil {
		return "", err
	}
	return rows[0].ID, nil
}

// OpenObjectSession reads the state of objects in a session.
func (a *Workspace) OpenObjectSession(ctx context.Context, st *store.Store, name string) (*ObjectSession, error) {
	row, err := FindSession(ctx, st, name)
	if err != nil {
		return nil, err
	}
	s := &ObjectSession{Id: row.ID, cwd: row.CWD, met: make(map[string]bool), pruned: make(map[string]string)}
	marks, err := st.Marks.Marks(ctx, s.Id)
	if err != nil {
		return nil, err
	}
	b, on := &prune.Branch{Session: s.Id}, make(map[string]bool)
	if a.Sources().Has(row.File) {
		f, err := MaskedSources(ctx, a).Open(row.File)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		t := f.Entries()
		for _, n := range t.Path(t.Leaf()) {
			on[n.ID] = true
		}
		if b, err = prune.NewBranch(s.Id, t, t.Leaf(), f.Line, marks); err != nil {
			return nil, fmt.Errorf("read session %s: %w", s.Id, err)
		}
	}
	events, err := st.Objects.Events(ctx, s.Id)
	if err != nil {
		return nil, err
	}
	s.events = object.Replay(events, func(leaf string) bool { return on[leaf] })
	for _, e := range events {
		s.met[e.Object] = true
	}
	for _, m := range marks {
		if on[m.Leaf] {
			s.pruned[m.EntryID] = m.Reason
		}
	}
	return s, s.see(ctx, a, st, b)
}

// see computes the view at the end of a branch, as the hooks do.
func (s *ObjectSession) see(ctx context.Context, a *Workspace, st *store.Store, b *prune.Branch) error {
	set, _, err := a.Resolved()
	if err != nil {
		return err
	}
	events, err := st.Objects.StateEvents(ctx, s.Id)
	if err != nil {
		return err
	}
	stored, err := st.Marks.Pins(ctx, s.Id)
	if err != nil {
		return err
	}
	pins, _, err := b.LatestPins(stored)
	if err != nil {
		return err
	}
	s.pins = prune.PinsOf(pins)
	files, layout := NewProjectFiles(ctx, s.cwd), set.Config.Objects
	s.view, s.pending, err = object.See(b, object.Sight{
		CWD: s.cwd, Pools: layout.Enabled && layout.Layout == config.LayoutPools && !b.Binds(),
		Changes: object.Changes(events, b.Shown(s.cwd)), Pins: stored,
		Canonical: func(path string) string { return files.Look(path).Path },
	})
	return err
}

// Where returns the state of an object in the session, and the reason for it.
func (s *ObjectSession) Where(v *object.Version) (object.State, string) {
	e, met := s.events[v.ID]
	own := v.Key.Session() == s.Id
	switch {
	case v.Doc.Kind.Locked() && own:
		return object.Active, "it is locked: it is always in the context"
	case !s.met[v.ID] && !own:
		return object.Absent, "the session has not seen it"
	}
	is := s.view.State(v.Object)
	// waits is set when the agent has not yet carried out a change of the object.
	waits := slices.ContainsFunc(s.pending, func(c state.Change) bool { return c.Object == v.ID })
	if met && e.Kind != object.Discovered && e.Actor != object.ActorCapture && (is == e.State() || waits) {
		why := fmt.Sprintf("%s by the %s at %s", Past(e.Kind), e.Actor, TimeText(e.Time))
		if e.Reason != "" {
			why += ": " + e.Reason
		}
		return e.State(), why
	}
	reason, pruned := s.pruned[v.Key.Part(1)]
	switch {
	case is == object.Active && s.view.Brings(v.ID):
		return is, "the user brought it into the chat"
	case is == object.Active:
		return is, "a result in the context shows it"
	case pruned && v.Doc.Kind == object.KindToolcall:
		return is, "pruned: " + reason
	}
	return is, "no result in the context shows it"
}

// Pinned reports whether a pin keeps an object.
func (s *ObjectSession) Pinned(v *object.Version) bool {
	switch v.Doc.Kind {
	case object.KindToolcall:
		return v.Key.Session() == s.Id && slices.Contains(s.pins.Entries, v.Key.Part(1))
	case object.KindFile:
		return s.pins.HasPath(v.Label(), s.cwd)
	}
	return false
}

// FindObject finds an object by its id or nickname, or a file by its path relative to dir, the
// end of its path, or the path that it had before it was moved.
func FindObject(ctx context.Context, st *store.Store, dir, name string) (object.Object, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path = NewProjectFiles(ctx, dir).Look(path).Path
	o, err := object.Find(ctx, st.Objects, filepath.ToSlash(name), path)
	if errors.Is(err, object.ErrUnknown) && name != "" {
		return st.Objects.LastAt(ctx, path)
	}
	return o, err
}

// ObjectNames returns a function that names objects for a user in dir: a file below dir by its path
// from there, as FindObject accepts it.
func ObjectNames(dir string) func(v *object.Version) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	dir = strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	return func(v *object.Version) string { return strings.TrimPrefix(v.Label(), dir) }
}

// CaptureFiles returns a Capture for files of the project that belongs to no session.
func CaptureFiles(ctx context.Context, a *Workspace, st *store.Store) (*object.Capture, error) {
	pl, err := a.Here()
	if err != nil {
		return nil, err
	}
	redactor, err := RedactorOf(a, false)
	return &object.Capture{Store: MaskedObjects(st, redactor), Files: NewProjectFiles(ctx, pl.Root), CWD: pl.Root}, err
}

package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/entries"
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

// ObjectSession is the state of objects in a session.
type ObjectSession struct {
	Id       string
	standing map[string]object.SessionState // by object, from the events on the branch
	met      map[string]bool                // the objects with events on any branch
	marks    map[string]prune.Mark          // by entry
	Said     []prune.Pin                    // the latest record of every pin
	cwd      string
	// view is what the model sees, nil without the session's file. pending are the
	// changes that the agent has not made yet.
	view    *object.View
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

// OpenObjectSession reads the state of objects in a session, at the end of its file if that
// exists.
func (a *Workspace) OpenObjectSession(ctx context.Context, st *store.Store, name string) (*ObjectSession, error) {
	row, err := objectSessionRow(ctx, st, name)
	if err != nil {
		return nil, err
	}
	s := &ObjectSession{Id: row.ID, cwd: row.CWD, met: make(map[string]bool), marks: make(map[string]prune.Mark)}
	stored, err := st.Marks.Marks(ctx, s.Id)
	if err != nil {
		return nil, err
	}
	on := func(string) bool { return true }
	if a.Sources().Has(row.File) {
		if on, err = a.look(ctx, st, s, row.File, stored); err != nil {
			return nil, err
		}
	}
	events, err := st.Objects.Events(ctx, s.Id)
	if err != nil {
		return nil, err
	}
	s.standing = object.Replay(events, on)
	for _, e := range events {
		s.met[e.Object] = true
	}
	for _, m := range stored {
		if on(m.Leaf) {
			s.marks[m.EntryID] = m
		}
	}
	s.Said, err = PinsOfFile(ctx, st, a.Sources(), s.Id, row.File)
	return s, err
}

// look reads what the model sees at the end of a session's file. It returns a function that
// reports whether an entry is on that branch.
func (a *Workspace) look(ctx context.Context, st *store.Store, s *ObjectSession, file string, marks []prune.Mark) (func(string) bool, error) {
	set, _, err := a.Resolved()
	if err != nil {
		return nil, err
	}
	f, err := MaskedSources(ctx, a).Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	on, t := make(map[string]bool), f.Entries()
	for _, n := range t.Path(t.Leaf()) {
		on[n.ID] = true
	}
	b, err := prune.NewBranch(s.Id, t, t.Leaf(), f.Line, marks)
	if err == nil {
		err = s.see(ctx, st, b, set.Config.Objects)
	}
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", s.Id, err)
	}
	return func(id string) bool { return on[id] }, nil
}

// see computes the view at the end of a branch, as the hooks do.
func (s *ObjectSession) see(ctx context.Context, st *store.Store, b *prune.Branch, set config.Objects) error {
	events, err := st.Objects.StateEvents(ctx, s.Id)
	if err != nil {
		return err
	}
	pins, err := st.Marks.Pins(ctx, s.Id)
	if err != nil {
		return err
	}
	find := func(id string) (object.Object, error) { return st.Objects.Resolve(ctx, id) }
	files := NewProjectFiles(ctx, s.cwd)
	s.view, s.pending, err = object.See(b, object.Sight{
		CWD: s.cwd, Pools: set.Enabled && set.Layout == config.LayoutPools && !b.Binds(),
		Changes: object.Changes(events, find, b.Shown(s.cwd)), Pins: pins,
		Canonical: func(path string) string { return files.Look(path).Path },
	})
	return err
}

// objectSessionRow finds a session by name, among those with entries and those with
// objects.
func objectSessionRow(ctx context.Context, st *store.Store, name string) (entries.Session, error) {
	rows, err := st.Entries.Names(ctx)
	if err != nil {
		return entries.Session{}, err
	}
	own, err := st.Objects.Sessions(ctx)
	if err != nil {
		return entries.Session{}, err
	}
	for _, id := range own {
		if !slices.ContainsFunc(rows, func(r entries.Session) bool { return r.ID == id }) {
			rows = append(rows, entries.Session{ID: id})
		}
	}
	return PickSession(rows, name)
}

// Where returns the state of an object in the session, and the reason for it.
func (s *ObjectSession) Where(v *object.Version) (object.State, string) {
	st, met := s.standing[v.ID]
	own := v.Key.Session() == s.Id
	by := ""
	if met {
		by = fmt.Sprintf("%s by the %s at %s", Past(st.By.Kind), st.By.Actor, TimeText(st.By.Time))
		if st.By.Reason != "" {
			by += ": " + st.By.Reason
		}
	}
	switch {
	case v.Doc.Kind.Locked() && own:
		return object.Active, "it is locked: it is always in the context"
	case !s.met[v.ID] && !own:
		return object.Absent, "the session has not seen it"
	}
	said := met && st.By.Kind != object.Discovered && st.By.Actor != object.ActorCapture
	// waits is set when the agent has not yet carried out a change of the object.
	waits := slices.ContainsFunc(s.pending, func(c state.Change) bool { return c.Object == v.ID })
	state := s.state(v)
	switch {
	case said && (state == st.State || waits):
		return st.State, by
	case state == object.Active:
		return state, s.whyActive(v)
	}
	return state, s.whyInactive(v, by)
}

// state returns the state of an object as the agent has it.
func (s *ObjectSession) state(v *object.Version) object.State {
	if s.view != nil {
		return s.view.State(object.Object{ID: v.ID, Key: v.Key})
	}
	st, met := s.standing[v.ID]
	if _, pruned := s.marks[v.Key.Part(1)]; met && (!pruned || st.By.Actor != object.ActorCapture) {
		return st.State
	}
	return object.Inactive
}

func (s *ObjectSession) whyActive(v *object.Version) string {
	switch {
	case s.view != nil && s.view.Brings(v.ID):
		return "the user brought it into the chat"
	case v.Doc.Kind == object.KindToolcall:
		return "its result is where it was, and nothing has removed it"
	}
	return "its content came with a result"
}

func (s *ObjectSession) whyInactive(v *object.Version, by string) string {
	st, met := s.standing[v.ID]
	m, pruned := s.marks[v.Key.Part(1)]
	switch {
	case pruned && v.Doc.Kind == object.KindToolcall:
		return "pruned: " + m.Reason
	case met && st.State == object.Active, v.Doc.Kind == object.KindToolcall:
		return "no result that shows it is in the context any more"
	case met:
		return by + "; nothing has activated it"
	case s.met[v.ID]:
		return "the session met it on another branch"
	}
	return "it is known by its reference only"
}

// Pinned reports whether a pin keeps an object.
func (s *ObjectSession) Pinned(v *object.Version) bool {
	pins := prune.PinsOf(s.Said)
	switch v.Doc.Kind {
	case object.KindToolcall:
		return v.Key.Session() == s.Id && slices.Contains(pins.Entries, v.Key.Part(1))
	case object.KindFile:
		return pins.HasPath(v.Doc.Label(v.Key), s.cwd)
	}
	return false
}

// FindObject finds an object by its id or nickname, or a file by its path relative to dir or
// the end of its path.
func FindObject(ctx context.Context, st *store.Store, dir, name string) (object.Object, error) {
	o, err := st.Objects.Resolve(ctx, name)
	if !errors.Is(err, object.ErrUnknown) || name == "" {
		return o, err
	}
	path := filepath.Clean(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	// Links cannot be resolved for a file that is gone, but for its directory.
	for _, p := range []string{path, filepath.Dir(path)} {
		if real, e := filepath.EvalSymlinks(p); e == nil {
			path = filepath.Join(real, path[len(p):])
			break
		}
	}
	if file, e := st.Objects.ByKey(ctx, object.FileKey("", path)); e == nil {
		return file, nil
	}
	return object.FileEnding(ctx, st.Objects, filepath.ToSlash(name))
}

// ObjectNames returns a function that names objects for a user in dir: a file of the
// project by its path relative to dir, as FindObject accepts it.
func ObjectNames(root, dir string) func(v *object.Version) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	files := NewProjectFiles(context.Background(), root)
	return func(v *object.Version) string {
		name := v.Doc.Label(v.Key)
		if v.Doc.Kind != object.KindFile {
			return name
		}
		if _, inside := files.relative(name); inside {
			if rel, err := filepath.Rel(dir, name); err == nil {
				return rel
			}
		}
		return name
	}
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

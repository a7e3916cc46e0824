package world

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/workspace"
)

// ObjectWatches are the files that sessions know, watched by a process that stays.
type ObjectWatches struct {
	mu       sync.Mutex
	Sessions map[string]*ObjectWatch
}

// ObjectWatch are those of a session.
type ObjectWatch struct {
	*workspace.Watcher
	mu  sync.Mutex
	ids map[string]string // by path
}

// Watch watches the files of a call's session. What is not seen that way is seen when
// it is looked at: nothing depends on it.
func (o *ObjectWatches) Watch(c *hooks.Call, st object.Store, files capture.Files, known map[string]string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.Is(hooks.EventSessionShutdown) {
		if w := o.Sessions[c.Session.ID]; w != nil {
			delete(o.Sessions, c.Session.ID)
			_ = w.Close()
		}
		return
	}
	w := o.Sessions[c.Session.ID]
	if w == nil {
		w = &ObjectWatch{ids: make(map[string]string)}
		work := capture.Capture{Store: st, Files: files, Session: c.Session.ID, CWD: c.CWD}
		var err error
		if w.Watcher, err = workspace.NewWatcher(func(paths []string) { w.refresh(work, paths) }); err != nil {
			return // there are too many watches on this machine
		}
		o.Sessions[c.Session.ID] = w
	}
	w.mu.Lock()
	maps.Copy(w.ids, known)
	w.mu.Unlock()
	w.Watch(slices.Collect(maps.Keys(known)))
}

// refresh writes what became of files. An error is left to the next look at them.
func (w *ObjectWatch) refresh(work capture.Capture, paths []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for _, p := range paths {
		if id := w.ids[p]; id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		_, _ = work.Refresh(context.Background(), ids...)
	}
}

// Objects is the system of objects.
func (w *World) Objects(p hooks.Prune, transport string) hooks.Objects {
	files := func(c *hooks.Call) capture.Files {
		return workspace.NewProjectFiles(context.Background(), c.Project.Root)
	}
	o := hooks.Objects{Prune: p, Files: files, Now: w.Env.Now}
	if transport == Serving {
		watches := &ObjectWatches{Sessions: make(map[string]*ObjectWatch)}
		o.Watch = watches.Watch
	}
	return o
}

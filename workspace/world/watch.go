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

// ObjectWatches watches the files that sessions know, in a long-running process.
type ObjectWatches struct {
	mu       sync.Mutex
	Sessions map[string]*ObjectWatch
}

// ObjectWatch watches the files of one session.
type ObjectWatch struct {
	*workspace.Watcher
	mu  sync.Mutex
	ids map[string]string // by path
}

// Watch watches the files of a call's session. Nothing depends on it: changes that it
// misses are found when the files are read.
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
			return // the system's limit of watches is reached
		}
		o.Sessions[c.Session.ID] = w
	}
	w.mu.Lock()
	maps.Copy(w.ids, known)
	w.mu.Unlock()
	w.Watch(slices.Collect(maps.Keys(known)))
}

// refresh updates the objects of files. After an error the next reading finds the changes.
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

// Objects returns the system of objects.
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

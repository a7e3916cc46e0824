package workspace

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// quiet is how long no change must occur before changes are reported, since files
	// are often written in several steps.
	quiet = 200 * time.Millisecond
	// maxWatched is the maximum number of watched directories. Changes in others are
	// found the next time that their files are read.
	maxWatched = 256
)

// Watcher reports files that other processes change. It watches directories, because files
// are often replaced instead of written.
type Watcher struct {
	notify  *fsnotify.Watcher
	changed func([]string)

	mu      sync.Mutex
	dirs    map[string]bool
	files   map[string]bool
	pending map[string]bool
	timer   *time.Timer
	closed  bool
}

// NewWatcher returns a watcher that calls changed with the files that were written,
// replaced, moved or deleted, once quiet has passed without a change. Calls do not overlap.
func NewWatcher(changed func(files []string)) (*Watcher, error) {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &Watcher{notify: n, changed: changed, dirs: make(map[string]bool), files: make(map[string]bool), pending: make(map[string]bool)}
	w.timer = time.AfterFunc(time.Hour, w.report)
	w.timer.Stop()
	go w.follow()
	return w, nil
}

// Watch adds files, by absolute path. Directories that cannot be watched are skipped.
func (w *Watcher) Watch(files []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range files {
		w.files[f] = true
		dir := filepath.Dir(f)
		if w.closed || w.dirs[dir] || len(w.dirs) >= maxWatched {
			continue
		}
		if w.notify.Add(dir) == nil {
			w.dirs[dir] = true
		}
	}
}

// Close ends watching.
func (w *Watcher) Close() error {
	w.mu.Lock()
	w.closed = true
	w.timer.Stop()
	w.mu.Unlock()
	return w.notify.Close()
}

// follow receives events until the watcher is closed. If events were lost, every file
// counts as changed.
func (w *Watcher) follow() {
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if !e.Has(fsnotify.Chmod) || e.Op != fsnotify.Chmod {
				w.note(e.Name)
			}
		case _, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			w.note("")
		}
	}
}

// note records a changed file, or all files for "".
func (w *Watcher) note(file string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return
	case file == "":
		maps.Copy(w.pending, w.files)
	case w.files[file]:
		w.pending[file] = true
	default:
		return
	}
	w.timer.Reset(quiet)
}

// report calls changed with the recorded files.
func (w *Watcher) report() {
	w.mu.Lock()
	files := slices.Sorted(maps.Keys(w.pending))
	clear(w.pending)
	closed := w.closed
	w.mu.Unlock()
	if !closed && len(files) > 0 {
		w.changed(files)
	}
}

package world

import (
	"context"

	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/workspace"
)

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

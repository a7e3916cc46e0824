package world

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/hooks/recall"
	"github.com/coctostan/pictx/workspace"
)

// The transports of requests: a process that answers one, and a process that stays.
const (
	OneShot = "oneshot"
	Serving = "serve"
)

// Dispatcher returns the dispatcher of requests, with all systems in their order. A request
// that passes the deadline changes nothing.
func (w *World) Dispatcher(transport string, deadline time.Duration, export recall.ExportFunc) *hooks.Dispatcher {
	now := w.Env.Now
	pruner := hooks.Prune{Choice: choice, Now: now, LongCache: w.Env.Getenv("PI_CACHE_RETENTION") == "long"}
	files := func(c *hooks.Call) object.Files {
		return workspace.NewProjectFiles(context.Background(), c.Project.Root)
	}
	objects := hooks.Objects{Files: files, Now: now}
	pruner.Objects = objects.List
	summaries := recall.Summaries{Now: now, Export: export}
	pruner.Fold = summaries.Fold
	blobs := w.HookBlobs()
	return &hooks.Dispatcher{
		Systems: []hooks.System{
			recall.History{Now: now, Behind: new(atomic.Int32), Blobs: w.ProjectBlobs},
			objects,
			w.Decisions(),
			pruner,
			summaries,
			blobs,
			w.Kota(hooks.KotaWords(pruner, blobs)),
			untrustedSettings{w},
		},
		World: w, Version: w.VersionInfo().Version, Deadline: deadline, Now: now, Log: w.Log(transport),
	}
}

// choice is workspace.Choice for an event. Pruning that the user asks for has no minimum.
func choice(c config.Config, asked bool) prune.Choice {
	if asked {
		c.Prune.Seed.Minimum = 0
	}
	return workspace.Choice(c, asked)
}

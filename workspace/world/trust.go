package world

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/workspace"
)

// trusts reports whether decisions of a request's project may reach a model: if the user
// has allowed that, for this run or for good, or has started the log here.
func (w *World) trusts(r *hooks.Request, set *config.Resolved) bool {
	if answer := r.Trust(); answer != nil {
		return *answer
	}
	pl, err := w.placeOf(r.CWD)
	if err != nil {
		return false
	}
	return workspace.Trusted(pl, set.Config.Trust, w.Env.Getenv("HOME")) || pl.Began() || pl.Undecided()
}

// untrustedSettings is the system that tells the user that a project's own settings are ignored
// until the user has decided whether to trust it.
type untrustedSettings struct{ *World }

// Name implements hooks.System.
func (untrustedSettings) Name() string { return "settings" }

// Declare implements hooks.System.
func (w untrustedSettings) Declare(_ *config.Config, h *hooks.Hello) {
	if pl, err := w.Here(); err == nil && len(pl.SettingsHere()) > 0 {
		h.Want(hooks.EventSessionStart)
	}
}

// Handle implements hooks.System. It says nothing to a user who told pi not to trust the project.
func (w untrustedSettings) Handle(_ context.Context, c *hooks.Call) error {
	if !c.Is(hooks.EventSessionStart) || c.Nested || c.Trusted == nil || !*c.Trusted {
		return nil
	}
	pl, set, err := w.inForce(c.CWD, c.Trust())
	if err != nil {
		return err
	}
	files := set.PassedOver(pl)
	if len(files) == 0 {
		return nil
	}
	for i, f := range files {
		if rel, err := filepath.Rel(pl.Root, f); err == nil {
			files[i] = filepath.ToSlash(rel)
		}
	}
	names := strings.Join(files, ", ")
	c.Note("passed over " + names)
	if c.HasUI {
		c.Add(hooks.Notify("pictx ignores the settings of this project ("+names+") until you say that you trust it: /trust.", "info"))
	}
	return nil
}

package world

import (
	"path/filepath"

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

// UntrustedSettings returns the system that reports ignored settings of a project.
func (w *World) UntrustedSettings() hooks.UntrustedSettings {
	return hooks.UntrustedSettings{
		Present: func() bool {
			pl, err := w.Here()
			return err == nil && len(pl.SettingsHere()) > 0
		},
		Ignored: func(r *hooks.Request) []string {
			pl, err := w.placeOf(r.CWD)
			if err != nil {
				return nil
			}
			set, err := w.settingsOf(pl, r.Trust())
			if err != nil {
				return nil
			}
			files := set.PassedOver(pl)
			for i, f := range files {
				if rel, err := filepath.Rel(pl.Root, f); err == nil {
					files[i] = filepath.ToSlash(rel)
				}
			}
			return files
		},
	}
}

package hooks

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/config"
)

// UntrustedSettings tells the user that a project's own settings are ignored until the user
// has decided whether to trust it.
type UntrustedSettings struct {
	// Present reports whether the project of this process has settings of its own.
	Present func() bool
	// Ignored lists the settings files of a request's project that are ignored.
	Ignored func(r *Request) []string
}

// Name implements System.
func (UntrustedSettings) Name() string { return "settings" }

// Declare implements System.
func (s UntrustedSettings) Declare(_ *config.Config, h *Hello) {
	if s.Present() {
		h.Want(EventSessionStart)
	}
}

// Handle implements System. It says nothing to a user who told pi not to trust the project.
func (s UntrustedSettings) Handle(_ context.Context, c *Call) error {
	if !c.Is(EventSessionStart) || c.Nested || c.Trusted == nil || !*c.Trusted {
		return nil
	}
	files := s.Ignored(c.Request)
	if len(files) == 0 {
		return nil
	}
	c.Note("passed over " + strings.Join(files, ", "))
	if c.HasUI {
		c.Add(Notify("pictx ignores the settings of this project ("+strings.Join(files, ", ")+
			") until you say that you trust it: /trust.", "info"))
	}
	return nil
}

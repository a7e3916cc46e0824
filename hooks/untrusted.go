package hooks

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/config"
)

// UntrustedSettings tells the user of a project whose own settings are ignored because
// the user has not been asked yet whether to trust it.
type UntrustedSettings struct {
	// Present reports whether the project that this process was started in has settings
	// of its own.
	Present func() bool
	// Ignored names the files with settings of a request's project that are ignored.
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

// Handle implements System. A user who told pi not to trust the project knows.
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

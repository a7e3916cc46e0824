package hooks

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/config"
)

// Unasked tells a person of a project whose settings do not count, because nobody was
// asked whether to trust it.
type Unasked struct {
	// Here reports whether the project that this process was started in has settings of
	// its own.
	Here func() bool
	// Passed names the files with settings of a request's project that do not count.
	Passed func(r *Request) []string
}

// Name implements System.
func (Unasked) Name() string { return "settings" }

// Declare implements System.
func (s Unasked) Declare(_ *config.Config, h *Hello) {
	if s.Here() {
		h.Want(EventSessionStart)
	}
}

// Handle implements System. Where pi was told not to trust the project, it is known.
func (s Unasked) Handle(_ context.Context, c *Call) error {
	if !c.Is(EventSessionStart) || c.Nested || c.Trusted == nil || !*c.Trusted {
		return nil
	}
	files := s.Passed(c.Request)
	if len(files) == 0 {
		return nil
	}
	c.Decision = join(c.Decision, "passed over "+strings.Join(files, ", "))
	if c.HasUI {
		c.Add(Notify("The settings of this project ("+strings.Join(files, ", ")+
			") do not count: nobody was asked yet whether to trust it. /trust does that, and they count from then on.", "info"))
	}
	return nil
}

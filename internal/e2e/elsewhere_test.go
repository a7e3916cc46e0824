//go:build unix

package e2e

import (
	"os/exec"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// TestAnAgentReadsNoOtherProjectInItsShell holds that what a real pi's model runs in its shell
// reads the project that pi works in, from any directory, and no other.
func TestAnAgentReadsNoOtherProjectInItsShell(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		other := t.TempDir()
		out, err := exec.Command("git", "init", "-q", other).CombinedOutput()
		must.Stop(t, err != nil, "git init: %v: %s", err, out)
		h.decide(t, "add", "Sell on Sundays")
		h.decide(t, "add", "Bake with rye", "--project", other)
		p := h.start(t)
		p.ask("One.", use("bash", object{"command": h.bin + " decision list; cd " + other + " && " + h.bin + " decision list; " + h.bin + " --project " + h.cwd + " decision list"}), say("one"))
		got := h.model.last(t).results()[0]
		contains(t, "the shell", got, "Sell on Sundays")
		contains(t, "the shell", got, "agent.scope_all")
		lacks(t, "the shell", got, "rye")
		p.finish()
	})
}

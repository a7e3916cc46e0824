package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/jsonl"
)

// trusts reports whether the decisions of a request's project may reach a model. A yes
// from pi is not enough: pi trusts a project without files of its own without asking,
// and a cloned repository may hold decisions and nothing else.
func (w *HookWorld) trusts(r *hooks.Request, set *config.Resolved) bool {
	if r.Trusted != nil && !*r.Trusted {
		return false
	}
	pl, err := w.placeOf(r.CWD)
	if err != nil {
		return false
	}
	home := w.Env.Getenv("HOME")
	return Trusted(pl, set.Config.Trust, home) || r.Trusted != nil && (pi.AsksTrust(r.CWD, home) || pi.TrustsAll(pl.AgentDir)) || pl.Began() || pl.undecided()
}

// undecided reports whether the project has no log yet: whatever is written from now on
// was begun here.
func (pl Place) undecided() bool {
	_, err := os.Lstat(jsonl.DecisionsPath(pl.Root))
	return errors.Is(err, fs.ErrNotExist)
}

// begunFile is the file that records that this user began the log of this project, with
// the project's id.
func (pl Place) begunFile() string { return pl.cacheFile("decisions-own") }

// begin records that a log was begun here. When it cannot be recorded, the user is asked
// to trust the project like any other.
func (pl Place) begin(project string) {
	name := pl.begunFile()
	if os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, []byte(project+"\n"), 0o600)
	}
}

// Began reports whether this user began the log of this project, which then needs no
// question about trust.
func (pl Place) Began() bool {
	own, err := os.ReadFile(pl.begunFile())
	return err == nil && len(own) > 1 && strings.TrimSpace(string(own)) == projectOfLog(jsonl.DecisionsPath(pl.Root))
}

// projectOfLog is the project id in the first lines of a log, "" when they have none.
func projectOfLog(path string) string {
	if !regularFile(path) {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const enough = 64 << 10
	b, err := io.ReadAll(io.LimitReader(f, enough))
	if err != nil {
		return ""
	}
	return decision.Read(slices.Clip(b)).Project()
}

package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a file of the project, or below another directory.
func (p *piAgent) put(dir, name, text string) {
	p.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// trust is what /trust saves.
func (p *piAgent) trust() {
	p.t.Helper()
	root, err := filepath.EvalSymlinks(p.project)
	if err != nil {
		p.t.Fatal(err)
	}
	p.put(p.dir, "trust.json", fmt.Sprintf("{%q:true}", root))
}

// notice is what a person is told at the start of a session.
func (p *piAgent) notice() string {
	p.t.Helper()
	var text []string
	for _, e := range parseReply(p.t, p.once("session_start", p.request("session_start", "", map[string]any{"reason": "startup"}))).Effects {
		if e.Type == "notify" {
			text = append(text, e.Text)
		}
	}
	return strings.Join(text, "\n")
}

// pi says of a project that has nothing of its own that it is trusted, although
// nobody was asked.
func TestAProjectsSettingsCountWhenSomebodyTrustedIt(t *testing.T) {
	t.Parallel()
	const off = "[prune]\nenabled = false\n"
	byHand := func(p *piAgent) { p.put(p.project, ".pi/pictx.toml", off) }
	here := func(p *piAgent) {
		if code, _ := p.shell("config", "set", "--local", "prune.enabled", "false"); code != 0 {
			p.t.Fatal(code)
		}
	}
	yes, no := true, false
	for name, c := range map[string]struct {
		trusted *bool
		with    []func(p *piAgent)
		counts  bool
		notice  bool
	}{
		"pi was told not to":             {trusted: &no, with: []func(p *piAgent){byHand}},
		"pi never asked":                 {trusted: &yes, with: []func(p *piAgent){byHand}, notice: true},
		"a pi that knows no trust":       {with: []func(p *piAgent){byHand}},
		"pi asked for its own settings":  {trusted: &yes, with: []func(p *piAgent){byHand, func(p *piAgent) { p.put(p.project, ".pi/settings.json", "{}") }}, counts: true},
		"the user said /trust":           {trusted: &yes, with: []func(p *piAgent){byHand, (*piAgent).trust}, counts: true},
		"the user's setting names it":    {trusted: &yes, with: []func(p *piAgent){byHand, func(p *piAgent) { p.config(lowLimits2(p.project)) }}, counts: true},
		"the user has pi trust all":      {trusted: &yes, with: []func(p *piAgent){byHand, func(p *piAgent) { p.put(p.dir, "settings.json", `{"defaultProjectTrust":"always"}`) }}, counts: true},
		"the user set it here":           {trusted: &yes, with: []func(p *piAgent){here}, counts: true},
		"set here, with an older pi":     {with: []func(p *piAgent){here}, counts: true},
		"set here, and pi was told no":   {trusted: &no, with: []func(p *piAgent){here}},
		"changed since it was set here":  {trusted: &yes, with: []func(p *piAgent){here, func(p *piAgent) { p.put(p.project, ".pi/pictx.toml", off+"# and more\n") }}, notice: true},
		"set here in what came with it":  {trusted: &yes, with: []func(p *piAgent){func(p *piAgent) { p.put(p.project, ".pi/pictx.toml", "[history]\nenabled = false\n") }, here}, notice: true},
		"set here after it was trusted":  {trusted: &yes, with: []func(p *piAgent){(*piAgent).trust, byHand, here, func(p *piAgent) { os.Remove(filepath.Join(p.dir, "trust.json")) }}, counts: true},
		"set here twice":                 {trusted: &yes, with: []func(p *piAgent){here, func(p *piAgent) { p.shell("config", "set", "--local", "prune.seed.protect", "5") }}, counts: true},
		"switched off by pictx decision": {trusted: &yes, with: []func(p *piAgent){here, func(p *piAgent) { p.shell("decision", "disable", "--project") }}, counts: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAgent(t)
			p.config(lowLimits)
			p.trusted = c.trusted
			for _, do := range c.with {
				do(p)
			}
			leaf := p.wholeSession("notes-1.5.jsonl")
			r := parseReply(t, p.once("turn_end", p.request("turn_end", leaf, map[string]any{})))
			if pruned := len(r.Result.Entries) > 0; pruned == c.counts {
				t.Errorf("it counts: %v", !pruned)
			}
			got := p.notice()
			if told := strings.Contains(got, "(.pi/pictx.toml) do not count") && strings.Contains(got, "/trust does that"); told != c.notice {
				t.Errorf("a person is told %q", got)
			}
		})
	}
}

// lowLimits2 are lowLimits of a user who trusts a directory.
func lowLimits2(dir string) string { return fmt.Sprintf("trust = [%q]\n%s", dir, lowLimits) }

// A session that is open takes what is trusted from the next event on.
func TestTrustingAProjectCountsAtTheNextEvent(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	yes := true
	p.trusted = &yes
	p.put(p.project, ".pi/pictx.toml", "[prune]\nenabled = false\n")
	leaf := p.wholeSession("notes-1.5.jsonl")
	s := p.serve()
	status := func() string {
		return parseReply(t, s.ask(p.request("command", leaf, map[string]any{"name": "prune", "args": ""}))).Result.Text
	}
	const off = "switched off"
	if got := status(); strings.Contains(got, off) {
		t.Errorf("a project that nobody trusted switches pruning off: %s", got)
	}
	p.trust()
	if got := status(); !strings.Contains(got, off) {
		t.Errorf("it is trusted, and does not count: %s", got)
	}
	if code := s.stop(); code != 0 {
		t.Error("serve ended with", code)
	}
}

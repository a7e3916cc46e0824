package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// put writes a file of the project, or below another directory.
func (p *piAgent) put(dir, name, text string) {
	p.t.Helper()
	path := filepath.Join(dir, name)
	must.Do(p.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(p.t, os.WriteFile(path, []byte(text), 0o600))
}

// trust is what /trust saves.
func (p *piAgent) trust() {
	p.t.Helper()
	root := must.Get(filepath.EvalSymlinks(p.project))(p.t)
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

// everyResource writes each file and directory that some version of pi asks about before
// it uses them. Others load them, or do not know them, without a question.
func everyResource(p *piAgent) {
	for _, name := range []string{"settings.json", "mcp.json", "SYSTEM.md", "APPEND_SYSTEM.md", "extensions/x.md", "skills/x.md", "prompts/x.md", "themes/x.json"} {
		p.put(p.project, ".pi/"+name, "{}")
	}
	p.put(p.project, ".agents/skills/x/SKILL.md", "x")
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
		trusted  *bool
		approved bool
		with     []func(p *piAgent)
		counts   bool
		notice   bool
	}{
		"pi was told not to":             {trusted: &no, with: []func(p *piAgent){byHand}},
		"pi never asked":                 {trusted: &yes, with: []func(p *piAgent){byHand}, notice: true},
		"a pi that knows no trust":       {with: []func(p *piAgent){byHand}},
		"the clone has what pi asks for": {trusted: &yes, with: []func(p *piAgent){byHand, everyResource}, notice: true},
		"the user approved this run":     {trusted: &yes, approved: true, with: []func(p *piAgent){byHand}, counts: true},
		"a run that is not approved":     {trusted: &no, approved: true, with: []func(p *piAgent){byHand}},
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
			p.trusted, p.approved = c.trusted, c.approved
			for _, do := range c.with {
				do(p)
			}
			leaf := p.wholeSession("notes-1.5.jsonl")
			r := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
			pruned := prunes(r)
			must.Not(t, pruned == c.counts, "it counts: %v", !pruned)
			got := p.notice()
			told := strings.Contains(got, "pictx ignores the settings of this project (") && strings.Contains(got, ".pi/pictx.toml) until you say that you trust it: /trust.")
			must.Not(t, told != c.notice, "a person is told %q", got)
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
	const off = "switched off (prune.enabled)"
	got := status()
	must.Not(t, strings.Contains(got, off), "a project that nobody trusted switches pruning off: %s", got)
	p.trust()
	must.Contain(t, status(), off, "it is trusted, and does not count")
	if code := s.stop(); code != 0 {
		t.Error("serve ended with", code)
	}
}

// foreignDecision is a line as somebody else wrote it, who knows the id of the project.
func foreignDecision(project string) string {
	return fmt.Sprintf(`{"v":1,"t":"2026-02-27T06:00:00.000Z","p":%q,"e":"a","i":"D-2026-02-27-0001","d":{"ti":"Obey","tx":"Obey","tg":[],"s":"active","r":"x","sp":null,"c":[]},"u":"user"}`, project) + "\n"
}

// Whoever began a log needs no question about it, as long as it is that log.
func TestALogIsTheUsersOwnWhileItContinuesWhatWasWrittenHere(t *testing.T) {
	t.Parallel()
	yes := true
	for name, c := range map[string]struct {
		change func(old string) string
		shown  bool
	}{
		"unchanged":                     {func(old string) string { return old }, true},
		"a pull adds a line":            {func(old string) string { return foreignDecision(projectOf(t, old)) + old }, true},
		"a checkout goes back":          {func(old string) string { first, _, _ := strings.Cut(old, "\n"); return first + "\n" }, true},
		"another log, the same project": {func(old string) string { return foreignDecision(projectOf(t, old)) }, false},
		"a fork went another way": {func(old string) string {
			first, _, _ := strings.Cut(old, "\n")
			return first + "\n" + foreignDecision(projectOf(t, old))
		}, false},
		"the log of another project": {func(string) string { return foreignDecision("fedcba9876543210") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAgent(t)
			p.trusted = &yes
			for _, text := range []string{"Use tabs", "Keep it short"} {
				if code, out := p.shell("decision", "add", text); code != 0 {
					t.Fatal(out)
				}
			}
			log := filepath.Join(p.project, ".pi/decision-memory/decisions.jsonl")
			old := must.Get(os.ReadFile(log))(t)
			p.put(p.project, ".pi/decision-memory/decisions.jsonl", c.change(string(old)))
			text := p.once("before_agent_start", p.request("before_agent_start", "", map[string]any{"prompt": "Hi", "systemPromptHash": "h"}))
			shown := strings.Contains(text, "D-2026")
			must.Not(t, shown != c.shown, "the model is shown them: %v: %s", shown, text)
		})
	}
}

// projectOf is the project that a log names.
func projectOf(t *testing.T, log string) string {
	t.Helper()
	_, rest, found := strings.Cut(log, `"p":"`)
	id, _, closed := strings.Cut(rest, `"`)
	must.Stop(t, !found || !closed, "the log is %s", log)
	return id
}

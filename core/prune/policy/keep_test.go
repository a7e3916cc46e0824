package policy

import (
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// Holds prune 17.
func TestSmallResultsAreNotCandidates(t *testing.T) {
	var c talk
	small := c.user().run("bash", `{"command":"x"}`, 199)
	large := c.run("bash", `{"command":"y"}`, 200)
	c.say(2)
	wantCodes(t, c.plan(c.later()), map[int]string{small: CodeSmall, large: CodeOutput})
}

// Holds prune 17.
func TestAMarkerIsAtMostHalfAsLong(t *testing.T) {
	var c talk
	c.user().run("bash", `{"command":"`+strings.Repeat("long ", 60)+`"}`, 200)
	c.run("read", `{"path":"`+strings.Repeat("dir/", 60)+`a.ts"}`, 200)
	c.edit("a.ts")
	c.user().user().say(9)
	s := c.later()
	s.Text = c.texts()
	p := c.plan(s)
	must.Stop(t, len(p.Edits) != 2, "%d edits", len(p.Edits))
	for _, e := range p.Edits {
		must.Not(t, len(e.Marker) > maxLine || e.MarkerTokens*2 > e.Tokens, "%d bytes: %s", len(e.Marker), e.Marker)
	}
}

// protected is a conversation of results that would all be pruned.
func protected() (c *talk, env, run int) {
	c = &talk{}
	c.user()
	env = c.run("read", `{"path":"conf/prod.env"}`, 3000)
	run = c.run("bash", `{"command":"x"}`, 30_000)
	c.user().user().say(20)
	return c, env, run
}

// Holds prune 18.
func TestProtectionsWinOverEverything(t *testing.T) {
	c, env, run := protected()
	forced := c.now()
	forced.Forced = true
	set := DefaultAuto()
	set.KeepTools = append(set.KeepTools, "ba*")
	for name, s := range map[string]moment{"asked for": forced, "cold": c.later(), "it pays": c.willing()} {
		if p := NewAuto(AutoSettings{}).at(s, c.parse()); why(p, run) != CodeOutput {
			t.Fatalf("%s: it would not be pruned anyway: %s", name, p.Outcome)
		}
		wantCodes(t, NewAuto(set).at(s, c.parse()), map[int]string{env: CodeKeepPath, run: CodeKeepTool})
		s.Pins = Pins{Entries: []string{"e" + itoa(run)}, Paths: []string{"conf/**"}}
		wantCodes(t, NewAuto(AutoSettings{}).at(s, c.parse()), map[int]string{env: CodePinned, run: CodePinned})
	}
}

// Holds prune 18.
func TestEveryPolicyHonoursPins(t *testing.T) {
	c, env, run := protected()
	seed := DefaultSeed()
	seed.Protect, seed.Minimum = 0, 0
	for name, p := range map[string]*Planner{"seed": NewSeed(seed), "kota": NewKota(DefaultKota())} {
		must.Equal(t, len(p.at(c.now(), c.parse()).Edits), 2, "%s: not both would be pruned anyway", name)
		s := c.now()
		s.Pins = Pins{Entries: []string{"e" + itoa(run)}, Paths: []string{"*.env"}}
		wantCodes(t, p.at(s, c.parse()), map[int]string{env: CodePinned, run: CodePinned})
	}
}

func TestUnpinnedResultsAreNotKeptForTheirTool(t *testing.T) {
	var c talk
	first := c.user().run("kota_impact", `{"symbol":"a"}`, 20_000)
	second := c.run("kota_impact", `{"symbol":"b"}`, 20_000)
	c.say(5)
	s := c.later()
	wantCodes(t, c.plan(s), map[int]string{first: CodePinned, second: CodePinned})
	s.Pins = Pins{Released: []string{"e" + itoa(first)}}
	wantCodes(t, c.plan(s), map[int]string{first: CodeOutput, second: CodePinned})
	s.Pins.Entries = []string{"e" + itoa(first)} // pinned all the same
	wantCodes(t, c.plan(s), map[int]string{first: CodePinned})
}

func itoa(n int) string { return strconv.Itoa(n) }

// Holds prune 19.
func TestGlobsMatchThePathOfTheCall(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"*.env", "prod.env", true},
		{"*.env", "a/b/prod.env", true},
		{"*.env", ".env", true},
		{"*.env", "prod.envy", false},
		{"**/*.env", "prod.env", true},
		{"**/*.env", "/home/u/p/x/prod.env", true},
		{"**/secrets/**", "secrets/a", true},
		{"**/secrets/**", "x/../secrets/a/b", true},
		{"**/secrets/**", "secrets/../a", false},
		{"conf/*", "conf/a", true},
		{"conf/*", "/home/u/p/conf/a", true},
		{"conf/*", "./conf/a", true},
		{"./conf/*", "conf/a", true},
		{"conf/*", "other/conf/a", false},
		{"/home/u/p/conf/*", "conf/a", true},
		{"/etc/**", "/etc/passwd", true},
		{"/etc/**", "../../../etc/passwd", true},
		{"/etc/**", "etc/passwd", false},
		{"[", "[", false},
		{"**/AGENTS.md", "$ cat AGENTS.md", true},
		{"**/AGENTS.md", "$ sed -n 1,200p docs/AGENTS.md | head", true},
		{"**/AGENTS.md", "$ python3 -c print(open('AGENTS.md').read())", true},
		{"**/AGENTS.md", "$ git show HEAD:AGENTS.md", true},
		{"**/AGENTS.md", "$ echo MY_AGENTS.md", false},
		{"docs/RULES.md", "$ cd docs && cat RULES.md", true},
		{"docs/RULES.md", "$ cat RULES.md", false},
		{"conf/**", "$ cat<conf/a", true},
		{"Makefile", "$ head Makefile", true},
	} {
		var k talk
		command, isCommand := strings.CutPrefix(c.path, "$ ")
		name, arguments := "read", `{"path":"`+c.path+`"}`
		if isCommand {
			name, arguments = "bash", `{"command":"`+command+`"}`
		}
		at := k.user().run(name, arguments, 500)
		k.user().user().say(9)
		s := k.later()
		s.CWD = "/home/u/p"
		set := AutoSettings{KeepPaths: []string{c.glob}}
		must.Equal(t, why(NewAuto(set).at(s, k.parse()), at) == CodeKeepPath, c.want, "%s on %s: kept", c.glob, c.path)
		s.Pins.Paths = set.KeepPaths
		must.Equal(t, why(NewAuto(AutoSettings{}).at(s, k.parse()), at) == CodePinned, c.want, "%s on %s: pinned", c.glob, c.path)
	}
}

// Holds prune 20.
func TestToolsThatMayNotBeRunAgainAreKept(t *testing.T) {
	for _, tool := range []string{"task_create", "skill", "ask_user", "question", "mcp__bash__read", "lcm_expand", "lcm_grep", "search", "", "new_tool"} {
		var c talk
		at := c.user().run(tool, `{"path":"a","command":"x"}`, 5000)
		c.user().user().say(99)
		s := c.now()
		s.Forced = true
		must.Equal(t, why(NewAuto(AutoSettings{}).at(s, c.parse()), at), CodeNotAgain, "%q", tool)
	}
}

// Holds prune 20.
func TestAToolCanBeAllowedToRunAgain(t *testing.T) {
	var c talk
	at := c.user().run("mcp__db__query", `{}`, 5000)
	c.say(2)
	wantCodes(t, NewAuto(AutoSettings{Rerun: []string{"mcp__db__*"}}).at(c.later(), c.parse()), map[int]string{at: CodeOutput})
}

func TestImpactIsPinnedUnlessSwitchedOff(t *testing.T) {
	var c talk
	at := c.user().run("kota_impact", `{}`, 5000)
	c.user().user().say(2)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodePinned})
	wantCodes(t, NewAuto(AutoSettings{}).at(c.later(), c.parse()), map[int]string{at: CodeOutput})
}

// The session has a pin for each of these answers, which nobody made.
func TestAnAnswerThatASettingPinsIsSaidToStayForTheSetting(t *testing.T) {
	var c talk
	at := c.user().run("kota_impact", `{}`, 5000)
	c.user().user().say(2)
	s := c.later()
	s.Pins.Entries = []string{"e" + itoa(at)}
	if got, want := c.plan(s).Kept[0].Reason, (Reason{CodePinned, "answers of kota_impact stay (prune.pinImpactSummaries)"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Holds prune 25.
func TestRestoredTextStaysForAWhileAndThenGoes(t *testing.T) {
	for _, c := range []struct {
		name           string
		tool, args     string
		turns, answers int
		want           string
	}{
		{"just now", "bash", `{"command":"pictx expand %s"}`, 0, 2, CodeRestored},
		{"nine answers ago", "bash", `{"command":"pictx expand %s --head 20"}`, 0, 9, CodeRestored},
		{"ten answers ago", "bash", `{"command":"pictx expand %s"}`, 0, 10, CodeOutput},
		{"two turns ago", "bash", `{"command":"pictx expand %s"}`, 2, 3, CodeRestored},
		{"three turns ago", "bash", `{"command":"pictx expand %s"}`, 3, 3, CodeOutput},
		{"with the tool", "lcm_expand", `{"ids":["%s"]}`, 0, 5, CodeRestored},
		{"of another", "bash", `{"command":"pictx expand 0123456789"}`, 0, 5, CodeOutput},
		{"not brought back", "bash", `{"command":"git show %s"}`, 0, 5, CodeOutput},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k talk
			at := k.user().run("bash", `{"command":"x"}`, 5000)
			k.say(4)
			const id = "3f9a2c1b"
			then := k.run(c.tool, strings.ReplaceAll(c.args, "%s", id), 5000)
			for range c.turns {
				k.user()
			}
			k.say(c.answers)
			m := k.parse()
			m[at].EntryID = id
			p := NewAuto(AutoSettings{}).at(k.later(), m)
			wantCodes(t, p, map[int]string{at: c.want})
			if c.tool == "bash" && c.answers >= 3 && c.name != "of another" && c.name != "not brought back" {
				wantCodes(t, p, map[int]string{then: c.want}) // what was brought back goes with it
			}
		})
	}
}

// Holds prune 6.
func TestOrphansAndCallsWithoutResultsAreLeftAlone(t *testing.T) {
	var c talk
	orphan := c.user().add(result("nobody", "bash", 5000))
	c.ask("toolUse", "bash", `{"command":"never came back"}`)
	c.user()
	at := c.run("bash", `{"command":"x"}`, 5000)
	c.say(3)
	wantCodes(t, c.plan(c.later()), map[int]string{orphan: CodeOrphan, at: CodeOutput})
}

// Holds prune 23.
func TestTheOutputOfTheUsersCommandsIsNamedAsKept(t *testing.T) {
	var c talk
	own := c.user().add(`{"role":"bashExecution","command":"ls","output":"` + strings.Repeat("x", 4000) + `"}`)
	hidden := c.add(`{"role":"bashExecution","command":"ls","output":"x","excludeFromContext":true}`)
	at := c.run("bash", `{"command":"x"}`, 5000)
	c.say(3)
	p := c.plan(c.later())
	wantCodes(t, p, map[int]string{own: CodeOwn, hidden: "", at: CodeOutput})
	must.Not(t, len(p.Kept) != 1 || p.Kept[0].Tokens != 1001, "%+v", p.Kept)
}

// Holds prune 26.
func TestNothingBeforeACompactionSummaryIsRead(t *testing.T) {
	var c talk
	before := c.user().run("bash", `{"command":"x"}`, 5000)
	c.add(`{"role":"compactionSummary","summary":"so far","timestamp":15000}`)
	kept := c.run("bash", `{"command":"y"}`, 5000)
	c.say(3)
	p := c.plan(c.later())
	wantCodes(t, p, map[int]string{before: CodeCompacted, kept: CodeOutput})
	must.Not(t, p.ScannedTokens != 5000, "%v scanned", p.ScannedTokens)
}

package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// mistakes are command lines that end with a hint; those of sound are run first.
func mistakes() []struct{ sound, wrong string } {
	const stored, decided, indexed = "import s.jsonl", "decision add Use tabs", "kota index"
	return []struct{ sound, wrong string }{
		{"", "grep zebra"},
		{"", "sessions"},
		{"", "history stats"},
		{"", "object list"},
		{"", "kota deps src/a.ts"},
		{"", "kota search zebra"},
		{"", "decision show nosuch"},
		{"", "decision list --status nosuch"},
		{"", "config get nosuch.key"},
		{"", "config get prune.mod"},
		{"", "config set prune.mode nosuch"},
		{"", "version --color nosuch"},
		{"", "expand deadbeef"},
		{"", "blobs purge nosuch"},
		{"", "import nosuch.jsonl"},
		{"", "help nosuch"},
		{"", "grpe zebra"},
		{"", "decision lst"},
		{"", "log --event nosuch"},
		{"", "store adopt nosuch"},
		{"", "compact nosuch"},
		{"", "prune nosuch"},
		{"", "replay nosuch.jsonl"},
		{stored, "grep nosuch"},
		{stored, "grep --regex ("},
		{stored, "grep"},
		{stored, "expand nosuch"},
		{stored, "tree s-0123456789ab"},
		{stored, "tree nosuch"},
		{stored, "export nosuch"},
		{stored, "history purge"},
		{stored, "history purge --match zebra"},
		{stored, "history restore nosuch.db"},
		{stored, "object list"},
		{stored, "object list state:nosuch"},
		{stored, "object list state:active"},
		{stored, "object show nosuch"},
		{stored, "object list nosuch:x"},
		{stored, "pin nosuch --session s"},
		{stored, "unpin nosuch --session s"},
		{stored, "usage --by nosuch"},
		{stored, "sessions --since nosuch"},
		{decided, "decision add Use tabs"},
		{decided, "decision reject nosuch"},
		{decided, "decision show --blame nosuch"},
		{decided, "decision purge"},
		{decided, "decision export --format nosuch"},
		{indexed, "kota deps src/nosuch.ts"},
		{indexed, "kota usages nosuch"},
		{indexed, "kota search ( --regex"},
		{indexed, "kota impact --diff nosuch"},
		{"", "decision init"},
		{"", "config set trust ."},
		{"", "replay"},
		{"", "import"},
		{"", "doctor"},
		{"broken", "doctor"},
		{stored, "usage --since 2026-03-03"},
		{stored, "report --since 2026-03-03"},
		{stored, "history redact zebra"},
		{stored, "history purge --session s"},
		{decided, "decision supersede ID Use spaces"},
		{decided, "decision remove ID"},
		{decided, "decision purge --all"},
		{decided, "decision audit"},
		{"crlf", "decision audit --strict"},
	}
}

// explained is what may precede the command in a hint. Nothing follows it: a person pastes up
// to the end of the line.
var explained = regexp.MustCompile(`^[a-z ]+: (pictx )`)

// spoken are hints that no command could give: what is missing is known to a person alone, or
// is to be done elsewhere.
var spoken = regexp.MustCompile(`^(ask the user|open the project in pi|give |to start one: pi$|a span as |have pi on the PATH|update pictx|did you mean|--[a-z-]+ [a-z]+s |correct the |set [a-z.]+$|ls |name D-|settle |merge the branch|fewer words|go install |npm install |git |pi |rm |mv |export )`)

// commandsOf returns the commands of pictx that a hint consists of, and whether it is of nothing
// else.
func commandsOf(hint string) (lines []string, whole bool) {
	for _, part := range regexp.MustCompile(`,? or |,? and |,? then | && |; `).Split(hint, -1) {
		line, ok := strings.CutPrefix(explained.ReplaceAllString(strings.TrimSpace(part), "$1"), "pictx ")
		switch {
		case ok:
			lines = append(lines, line)
		case !spoken.MatchString(part) && !strings.HasPrefix(part, "${EDITOR:-vi} /"):
			return lines, false
		}
	}
	return lines, true
}

// shellWords splits a command as a shell does, as far as hints need it.
func shellWords(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// hinted is a project in which mistakes are made.
type hinted struct {
	root, dir string
	agent     bool
}

func newHinted(t *testing.T, agent bool) *hinted {
	t.Helper()
	p := &hinted{root: t.TempDir(), agent: agent}
	p.dir = filepath.Join(p.root, "project")
	p.write(t, "src/a.ts", "export const zebra = 1\n")
	p.write(t, "s.jsonl", `{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"`+p.dir+`"}`+"\n"+
		`{"type":"message","id":"ask","parentId":null,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"where is the zebra?"}}`+"\n")
	return p
}

func (p *hinted) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(p.dir, name)
	must.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
}

// run returns the exit code of a command and all that it says.
func (p *hinted) run(t *testing.T, words []string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	environ := []string{"HOME=" + p.root, "PATH=" + os.Getenv("PATH")}
	if p.agent {
		environ = append(environ, "PI_CODING_AGENT=1")
	}
	env := &cli.Env{
		Process: workspace.Process{Dir: p.dir, Now: clitest.Now, Environ: environ},
		Args:    words, In: &bytes.Buffer{}, Out: &out, Err: &out,
	}
	return Main(t.Context(), env), out.String()
}

// prepare runs the sound command before a mistake, and returns the mistake with the id of a
// decision that it made.
func (p *hinted) prepare(t *testing.T, sound, wrong string) string {
	t.Helper()
	log := ".pi/decision-memory/decisions.jsonl"
	switch sound {
	case "":
		return wrong
	case "broken":
		p.write(t, "../.pi/agent/settings.json", "{broken")
		return wrong
	case "crlf":
		p.prepare(t, "decision add Use tabs", "")
		line := must.Get(os.ReadFile(filepath.Join(p.dir, log)))(t)
		p.write(t, log, strings.ReplaceAll(string(line), "\n", "\r\n"))
		return wrong
	}
	code, said := p.run(t, shellWords(sound))
	must.Stop(t, code != exit.OK, "pictx %s: exit code %d: %s", sound, code, said)
	return strings.Replace(wrong, "ID", regexp.MustCompile(`D-[0-9-]+-\w+`).FindString(said), 1)
}

// What a hint says can be run as it stands, where the error was, and is not what was run: by
// a person, and in the shell of an agent, to which it is not refused.
func TestEveryHintCanBeRun(t *testing.T) {
	t.Parallel()
	for _, agent := range []bool{false, true} {
		seen, tried := 0, 0
		for _, m := range mistakes() {
			if agent && m.sound != "" && !strings.HasPrefix(m.sound, "import") {
				continue // what is refused to an agent is other projects, of which these know nothing
			}
			tried++
			p := newHinted(t, agent)
			wrong := p.prepare(t, m.sound, m.wrong)
			_, said := p.run(t, shellWords(wrong))
			must.Lack(t, said, "(?", "after %s, pictx %s: it speaks of a pattern that nobody typed", m.sound, wrong)
			for line := range strings.Lines(said) {
				_, hint, ok := strings.Cut(strings.TrimSpace(line), "hint: ")
				if fix, is := strings.CutPrefix(strings.TrimSpace(line), "fix: "); is {
					hint, ok = fix, true
				}
				if !ok {
					continue
				}
				if p.follow(t, "after "+m.sound+", pictx "+wrong, wrong, hint) {
					seen++
				}
			}
		}
		must.Not(t, seen < tried/2, "agent %v: %d of %d mistakes have a hint that names a command", agent, seen, tried)
	}
}

// follow runs the commands of a hint, and reports whether there is any.
func (p *hinted) follow(t *testing.T, at, wrong, hint string) bool {
	t.Helper()
	lines, whole := commandsOf(hint)
	must.Not(t, !whole, "%s: the hint %q cannot be pasted", at, hint)
	for _, line := range lines {
		must.Not(t, line == wrong, "%s: it hints at itself", at)
		code, again := p.run(t, shellWords(line))
		must.Not(t, code == exit.Usage || p.agent && code == exit.Refused && strings.Contains(line, "--all"), "%s: hint %q: exit code %d: %s", at, hint, code, again)
		if more, same := strings.CutPrefix(line, wrong+" "); same && slices.Contains([]string{"--yes", "--force", "--reason WHY"}, more) && code != exit.OK {
			t.Errorf("%s: the same command with more, %q, ends with %d: %s", at, hint, code, again)
		}
	}
	return len(lines) > 0
}

package commands

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/workspace"
)

// mistakes are command lines that end with a hint; those of sound are run first.
func mistakes() []struct{ sound, wrong string } {
	const stored, decided, indexed = "import s.jsonl", "decision add Use tabs", "kota index"
	return []struct{ sound, wrong string }{
		{"", "grep zebra"},
		{"", "sessions"},
		{"", "history stats"},
		{"", "history doctor"},
		{"", "object list"},
		{"", "kota deps src/a.ts"},
		{"", "kota search zebra"},
		{"", "decision show nosuch"},
		{"", "decision list --status nosuch"},
		{"", "config get nosuch.key"},
		{"", "config get prune.mod"},
		{"", "config set prune.mode nosuch"},
		{"", "version --color nosuch"},
		{"", "blobs show deadbeef"},
		{"", "blobs show nosuch"},
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
		{stored, "describe nosuch"},
		{stored, "tree nosuch"},
		{stored, "export nosuch"},
		{stored, "history purge"},
		{stored, "history purge --match zebra"},
		{stored, "history restore nosuch.db"},
		{stored, "object list"},
		{stored, "object list --state nosuch"},
		{stored, "object list --state active"},
		{stored, "object show nosuch"},
		{stored, "object query nosuch:x"},
		{stored, "pin nosuch --session s"},
		{stored, "unpin nosuch --session s"},
		{stored, "usage --by nosuch"},
		{stored, "sessions --since nosuch"},
		{decided, "decision add Use tabs"},
		{decided, "decision reject nosuch"},
		{decided, "decision blame nosuch"},
		{decided, "decision purge"},
		{decided, "decision export --format nosuch"},
		{indexed, "kota deps src/nosuch.ts"},
		{indexed, "kota usages nosuch"},
		{indexed, "kota search ( --regex"},
		{indexed, "kota impact --diff nosuch"},
	}
}

// explained is what may follow the command in a hint.
var explained = regexp.MustCompile(`( shows | takes |, | with the ).*`)

// shellWords splits a command as a shell does, as far as hints need it.
func shellWords(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// What a hint says can be run as it stands, where the error was, and is not what was run.
func TestEveryHintCanBeRun(t *testing.T) {
	t.Parallel()
	hinted := 0
	for _, m := range mistakes() {
		root := t.TempDir()
		dir := filepath.Join(root, "project")
		if err := os.MkdirAll(filepath.Join(dir, "src"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"src/a.ts": "export const zebra = 1\n",
			"s.jsonl": `{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"` + dir + `"}` + "\n" +
				`{"type":"message","id":"ask","parentId":null,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"where is the zebra?"}}` + "\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run := func(words []string) (int, string) {
			var out, errs bytes.Buffer
			env := &cli.Env{
				Process: workspace.Process{Dir: dir, Now: clitest.Now, Environ: []string{"HOME=" + root, "PATH=" + os.Getenv("PATH")}},
				Args:    words, In: &bytes.Buffer{}, Out: &out, Err: &errs,
			}
			return Main(t.Context(), env), errs.String()
		}
		if m.sound != "" {
			if code, said := run(shellWords(m.sound)); code != exit.OK {
				t.Fatalf("pictx %s: exit code %d: %s", m.sound, code, said)
			}
		}
		code, said := run(shellWords(m.wrong))
		if code == exit.OK {
			continue
		}
		for line := range strings.Lines(said) {
			hint, ok := strings.CutPrefix(strings.TrimSpace(line), "hint: pictx ")
			if !ok {
				continue
			}
			hinted++
			hint = explained.ReplaceAllString(hint, "")
			if hint == m.wrong {
				t.Errorf("after %q, pictx %s: it hints at itself", m.sound, m.wrong)
			}
			if code, again := run(shellWords(hint)); code == exit.Usage {
				t.Errorf("after %q, pictx %s: %s: %s", m.sound, m.wrong, strings.TrimSpace(line), again)
			}
		}
	}
	if hinted < len(mistakes())/2 {
		t.Errorf("%d of %d mistakes have a hint that names a command", hinted, len(mistakes()))
	}
}

package commands

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// hostileSession is a session whose title, directory, prompt, model, tool and result are
// all the same text, as it stands in JSON.
func hostileSession(said string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":"5e551011-0000-4000-8000-000000000001","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w/%[1]s"}
{"type":"session_info","id":"aa000000","parentId":null,"timestamp":"2026-03-01T10:00:00.000Z","name":"needle %[1]s"}
{"type":"message","id":"aa000001","parentId":"aa000000","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"needle %[1]s","timestamp":1772359201000}}
{"type":"message","id":"aa000002","parentId":"aa000001","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"assistant","provider":"p%[1]s","model":"m%[1]s","content":[{"type":"thinking","thinking":"%[1]s"},{"type":"text","text":"needle %[1]s"},{"type":"toolCall","id":"c1%[1]s","name":"t%[1]s","arguments":{"path":"%[1]s"}}],"usage":{"input":1000,"output":10,"cacheRead":0,"cacheWrite":0},"stopReason":"toolUse","timestamp":1772359202000}}
{"type":"message","id":"aa000003","parentId":"aa000002","timestamp":"2026-03-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1%[1]s","toolName":"t%[1]s","content":[{"type":"text","text":"needle %[1]s"}],"timestamp":1772359203000}}
{"type":"message","id":"aa000004","parentId":"aa000003","timestamp":"2026-03-01T10:00:04.000Z","message":{"role":"user","content":"and then","timestamp":1772359204000}}
`, said)
}

// hostileFiles are session files that nobody vouches for.
func hostileFiles() map[string]string {
	plain := hostileSession("x")
	nested := strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000)
	return map[string]string{
		"escapes":         hostileSession(`\u001b]0;own\u0007\u001b[2J\u009b31m\r\b`),
		"bidi controls":   hostileSession(`\u202e\u2066evil\u200b\u2069`),
		"a long text":     hostileSession(strings.Repeat("long ", 20_000)),
		"markup":          hostileSession(`</script><script>alert(1)</script><img src=x onerror=alert(1)>`),
		"NULs":            hostileSession(`a\u0000b`),
		"lone surrogates": hostileSession(`\ud800 \udfff`),
		"deep nesting":    strings.Replace(plain, `{"path":"x"}`, `{"path":`+nested+`}`, 1),
		"a cycle":         strings.Replace(plain, `"parentId":"aa000000"`, `"parentId":"aa000003"`, 1),
		"duplicate ids":   strings.ReplaceAll(strings.ReplaceAll(plain, "aa000002", "aa000001"), "aa000003", "aa000001"),
		"torn lines":      plain + "null\n[1]\n{\"type\":\"message\"}\n\xff\xfe\x00{\n{\"type\":\"message\",\"id\":\"aa000009\",\"parentId\":\"aa00",
	}
}

// rawControl is the first character of an output that a terminal or a reader would obey, 0
// for none.
func rawControl(out string) rune {
	for _, r := range out {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return r
		}
	}
	return 0
}

// Sessions are files that somebody else may have written: nothing in one makes a command
// fail by itself, and nothing in one reaches a terminal or a page as more than text.
func TestHostileSessionFilesAreOnlyText(t *testing.T) {
	t.Parallel()
	commands := [][]string{
		{"import", "FILE"},
		{"sessions"},
		{"usage", "--by", "session"},
		{"compact", "--model", "none", "--keep", "1", "FILE"},
		{"tree", "FILE"},
		{"tree", "--html", "OUT", "FILE"},
		{"expand", "aa000001", "--session", "FILE"},
		{"grep", "needle"},
		{"export", "FILE"},
		{"export", "--html", "OUT", "FILE"},
		{"report"},
		{"report", "--html", "OUT"},
		{"replay", "FILE"},
		{"replay", "--html", "OUT", "FILE"},
		{"prune", "FILE"},
		{"log"},
	}
	for name, text := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "s.jsonl")
			must.Do(t, os.WriteFile(file, []byte(text), 0o600))
			for i, command := range commands {
				page := filepath.Join(dir, fmt.Sprintf("%d.html", i))
				args := strings.Fields(strings.NewReplacer("FILE", file, "OUT", page).Replace(strings.Join(command, " ")))
				var out, errs bytes.Buffer
				env := &cli.Env{
					Process: workspace.Process{Dir: dir, Now: clitest.Now, Environ: []string{"PI_CODING_AGENT_DIR=" + dir, "HOME=" + dir}},
					Args:    args, Out: &out, Err: &errs, OutTerminal: command[0] == "expand",
				}
				code := Main(t.Context(), env)
				must.Not(t, code == exit.Failed && command[0] != "replay" || strings.Contains(errs.String(), "internal error"), "pictx %v ends with %d: %.300s", command, code, &errs)
				for _, said := range []string{out.String(), errs.String()} {
					if r := rawControl(said); r != 0 || !utf8.ValidString(said) {
						at := max(0, strings.IndexRune(said, r)-40)
						t.Errorf("pictx %v prints %U: %.120q", command, r, said[at:])
					}
				}
				if html, err := os.ReadFile(page); err == nil {
					out.Write(html)
				}
				if got := out.String(); strings.HasPrefix(got, "<!doctype") {
					n := strings.Count(got, "<script>")
					must.Not(t, n > 1 || strings.Contains(got, "<img src=x"), "pictx %v: the session is markup in the page, %d scripts", command, n)
				} else if name == "markup" && command[0] == "export" && strings.Count(got, `\<script>`) < 3 {
					t.Errorf("pictx %v: the session is markup in Markdown: %.300s", command, got)
				}
			}
		})
	}
}

func TestAnExportInPiStaysInTheProject(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("shop-main.jsonl")
	p.id = "/../../x"
	p.command(leaf, "lcm", "export")
	must.Do(t, os.Remove(filepath.Join(p.project, "session-x.md")))
}

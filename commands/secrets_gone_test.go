package commands

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
)

// secretNumber finds what secretSession plants, each in another place.
var secretNumber = regexp.MustCompile(`SECRETq[0-9]{2}`)

// secretSession is a session with a secret in each place that a session has for text: its
// name, labels, messages of every role, thinking, arguments, results, commands, details,
// summaries and what extensions keep.
func secretSession(id, cwd, parent string) string {
	n := 0
	secret := func() string { n++; return fmt.Sprintf("SECRETq%02d", n) }
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-03-02T09:00:00.000Z","cwd":%q%s}`+"\n", id, cwd, parent)
	last := "null"
	add := func(form string, args ...any) {
		name := fmt.Sprintf("5ec0%04d", strings.Count(b.String(), "\n"))
		at := fmt.Sprintf("2026-03-02T09:%02d:00.000Z", strings.Count(b.String(), "\n"))
		fmt.Fprintf(&b, `{"id":%q,"parentId":%s,"timestamp":%q,`+form+"}\n", append([]any{name, last, at}, args...)...)
		last = `"` + name + `"`
	}
	message := func(form string, args ...any) { add(`"type":"message","message":{"timestamp":1,`+form+`}`, args...) }
	add(`"type":"session_info","name":"about %s"`, secret())
	message(`"role":"user","content":"my key is %s, keep it"`, secret())
	message(`"role":"assistant","content":[{"type":"thinking","thinking":"so it is %s"},{"type":"text","text":"I keep %s."},{"type":"toolCall","id":"call1","name":"bash","arguments":{"command":"login %s"}}],"stopReason":"toolUse"`, secret(), secret(), secret())
	message(`"role":"toolResult","toolCallId":"call1","toolName":"bash","content":[{"type":"text","text":"hello %s\n"}],"details":{"note":"with %s"},"isError":false`, secret(), secret())
	message(`"role":"assistant","content":[{"type":"toolCall","id":"call2","name":"write","arguments":{"path":"/tmp/%s.txt","content":"it is %s"}}],"stopReason":"toolUse"`, secret(), secret())
	message(`"role":"toolResult","toolCallId":"call2","toolName":"write","content":[{"type":"text","text":"wrote /tmp/%s.txt"}],"isError":false`, secret())
	message(`"role":"bashExecution","command":"echo %s","output":"%s","exitCode":0`, secret(), secret())
	message(`"role":"assistant","content":[],"stopReason":"error","errorMessage":"refused: %s"`, secret())
	message(`"role":"custom","customType":"note","content":"a note on %s","display":true`, secret())
	add(`"type":"custom","customType":"memo","data":{"text":"kept %s"}`, secret())
	add(`"type":"label","targetId":%s,"label":"where %s is"`, last, secret())
	add(`"type":"branch_summary","fromId":%s,"summary":"left at %s"`, last, secret())
	message(`"role":"user","content":"and now for something else"`)
	message(`"role":"assistant","content":[{"type":"text","text":"Gladly."}],"stopReason":"stop"`)
	return b.String()
}

// TestSecretsInSeventeenPlacesAreGoneAndStayGone plants them in a session, a fork of it, an
// entry that was rewritten since, a blob, a pin and a summary, and looks for them in every
// byte below the agent's directory, and in what every command prints that reads the
// session's own file.
func TestSecretsInSeventeenPlacesAreGoneAndStayGone(t *testing.T) {
	t.Parallel()
	for _, erase := range [][]string{{"history", "redact", secretNumber.String(), "--yes"}, {"history", "purge", "--match", secretNumber.String(), "--yes"}} {
		t.Run(erase[1], func(t *testing.T) {
			t.Parallel()
			p := newAgent(t)
			main, fork := filepath.Join(filepath.Dir(p.dir), "main.jsonl"), filepath.Join(filepath.Dir(p.dir), "fork.jsonl")
			text := secretSession("main", p.project, "")
			planted := secretNumber.FindAllString(text, -1)
			must.Stop(t, len(planted) != 17, "%d secrets are planted", len(planted))
			p.plant(main, strings.Replace(text, "keep it", "the first SECRETq18", 1))
			p.plant(main, text)
			p.plant(fork, secretSession("fork", p.project, fmt.Sprintf(`,"parentSession":%q`, main)))
			must.Get(blob.At(filepath.Join(p.dir, "pictx", "blobs"), time.Now).Put(t.Context(), []byte("an output with SECRETq19 in it"), main))(t)
			p.must("pin", "--session", "main", "5ec00002", "--reason", "because of SECRETq20")
			p.must("compact", main, "--model", "none", "--keep", "1")
			if found := p.secrets(t); len(found) < 19 {
				t.Fatalf("before, only these are found: %v", found)
			}
			code, _, said := p.shellErr(erase...)
			must.Stop(t, code != 0, "%v: exit %d\n%s", erase, code, said)
			if found := p.secrets(t); len(found) > 0 {
				t.Errorf("after %v these are left: %v", erase[:2], found)
			}
			p.shows(t, main)
			if found := p.secrets(t); len(found) > 0 {
				t.Errorf("these are back: %v", found)
			}
		})
	}
}

// plant writes a session and imports it.
func (p *piAgent) plant(file, text string) {
	p.t.Helper()
	must.Do(p.t, os.WriteFile(file, []byte(text), 0o600))
	p.must("import", file)
}

// must runs a command that has to succeed.
func (p *piAgent) must(args ...string) {
	p.t.Helper()
	if code, out, said := p.shellErr(args...); code != 0 {
		p.t.Fatalf("%v: exit %d\n%s%s", args, code, out, said)
	}
}

// shows runs every command that reads the session's own file, or what was made of it, and
// reports each that prints a secret or writes one.
func (p *piAgent) shows(t *testing.T, file string) {
	t.Helper()
	out := filepath.Join(filepath.Dir(p.dir), "out")
	for _, args := range [][]string{
		{"import", file},
		{"sessions"},
		{"grep", "secretq[0-9]+", "--regex"},
		{"grep", "SECRETq02"},
		{"grep", "SECRETq06"},
		{"grep", "key"},
		{"tree", file},
		{"tree", "main"},
		{"compact", file, "--model", "none", "--keep", "1", "-o", out},
		{"prune", file},
		{"prune", file, "--apply", "-o", out},
		{"export", file, "--format", "md"},
		{"export", file, "--format", "html"},
		{"export", file, "--format", "json"},
		{"export", file, "--format", "jsonl"},
		{"object", "list", "--session", "main"},
		{"pin", "--list", "--session", "main"},
		{"blobs", "list"},
		{"history", "stats"},
		{"expand", "--session", file, "5ec00002"},
		{"expand", "--session", file, "5ec00003", "--raw"},
		{"expand", "--session", "main", "5ec00004", "--raw"},
	} {
		_ = os.Remove(out)
		_, stdout, _ := p.shellErr(args...)
		written, _ := os.ReadFile(out)
		found := secretNumber.FindAllString(stdout+string(written), -1)
		must.Not(t, len(found) > 0, "pictx %v brings back %v", args, found)
	}
}

// secrets lists the secrets that are anywhere below the agent's directory: in the bytes of
// its files, and in the texts that the store and the blobs pack.
func (p *piAgent) secrets(t *testing.T) []string {
	t.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	must.Do(t, err)
	p.unpack(t, &all)
	blobs := blob.At(filepath.Join(p.dir, "pictx", "blobs"), time.Now)
	for _, i := range must.Get(blobs.List())(t) {
		b := must.Get(blobs.Peek(i.ID))(t)
		all.Write(b.Text)
	}
	found := secretNumber.FindAllString(all.String(), -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// unpack appends the texts of the store.
func (p *piAgent) unpack(t *testing.T, all *bytes.Buffer) {
	t.Helper()
	db := must.Get(sqlite.Open(t.Context(), p.storePath(), sqlite.Read, time.Now))(t)
	defer db.Close()
	var ids []int64
	must.Do(t, db.SelectContext(t.Context(), &ids, `SELECT id FROM content`))
	for _, id := range ids {
		text := must.Get(db.Text(t.Context(), db, id))(t)
		all.Write(text)
	}
}

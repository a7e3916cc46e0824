package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
)

// outputs is an agent whose temporary directory is a folder of its own.
type outputs struct {
	*piAgent
	temp, leaf string
	n          int
}

func newOutputs(t *testing.T) *outputs {
	t.Helper()
	o := &outputs{piAgent: newAgent(t), temp: t.TempDir()}
	o.environ = []string{"TMPDIR=" + o.temp + "/"}
	o.leaf = o.wholeSession("notes-1.5.jsonl")
	return o
}

// add appends an entry to the session.
func (o *outputs) add(format string, args ...any) string {
	o.t.Helper()
	o.n++
	id := fmt.Sprintf("added%03d", o.n)
	o.append(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-11-21T10:00:00.000Z","message":%s}`, id, o.leaf, fmt.Sprintf(format, args...))
	o.leaf = id
	return id
}

// result appends a result that was cut, and leaves the whole in a file.
func (o *outputs) result(name, text string, details bool) (id string) {
	o.t.Helper()
	path := filepath.Join(o.temp, name)
	must.Do(o.t, os.WriteFile(path, []byte(text), 0o600))
	o.add(`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{}}],"stopReason":"toolUse","timestamp":1}`)
	more := ""
	if details {
		more = fmt.Sprintf(`,"details":{"fullOutputPath":%q}`, path)
	}
	shown := strings.Repeat("the end\\n", 300) + `\n[Showing lines 2-3 of 3. Full output: ` + path + "]"
	return o.add(`{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":%v,"timestamp":2%s}`, shown, !details, more)
}

func (o *outputs) turn() {
	o.t.Helper()
	if r := parseReply(o.t, o.once("turn_end", o.request("turn_end", o.leaf, map[string]any{}))); r.Error != "" {
		o.t.Error(r.Error)
	}
}

func (o *outputs) cache() *blob.Store {
	return blob.At(filepath.Join(o.dir, "pictx", "blobs"), time.Now)
}

func TestOutputsThatPiCutsAreKeptWhole(t *testing.T) {
	t.Parallel()
	o := newOutputs(t)
	whole := strings.Repeat("a line of many\n", 5000)
	id := o.result("pi-bash-0123456789abcdef.log", whole, true)
	o.turn()
	all, err := o.cache().List()
	must.Stop(t, err != nil || len(all) != 1 || all[0].Bytes != int64(len(whole)), "%+v, %v", all, err)
	s := o.cache().Sessions(all[0].ID)
	must.Not(t, len(s) != 1 || s[0] != o.file, "named by %q", s)
	if err := os.RemoveAll(o.temp); err != nil { // as the next start of the machine does
		t.Fatal(err)
	}
	o.shell("import", o.file)
	path := filepath.Join(o.temp, "pi-bash-0123456789abcdef.log")
	for _, args := range [][]string{
		{"expand", id, "--full"},
		{"expand", path},
		{"expand", "[Showing lines 2-3 of 3. Full output: " + path + "]"},
		{"expand", all[0].ID[:12]},
		{"expand", id, "--full", "--session", o.file},
	} {
		code, out := o.shell(args...)
		must.Not(t, code != 0 || out != whole, "%q: %d, %d bytes, want %d", args, code, len(out), len(whole))
	}
	code, out := o.shell("expand", id, "--full", "--lines", "2-3")
	must.Not(t, code != 0 || out != "a line of many\na line of many\n", "a part: %d, %q", code, out)
	code, out, errs := o.shellErr("expand", id)
	if code != 0 || !strings.HasPrefix(out, "the end\n") || errs != "pictx: pi shortened this output; for all of it, 75.0 KB: pictx expand "+all[0].ID[:12]+"\n" {
		t.Errorf("%d, %.40q, %q", code, out, errs)
	}
	if code, _, errs := o.shellErr("expand", o.leafOf("user"), "--full"); code != exit.NotFound || !strings.Contains(errs, "is complete: pi shortened nothing") {
		t.Errorf("what is whole: %d, %q", code, errs)
	}
	if code, _, errs := o.shellErr("expand", "/tmp/pi-bash-ffffffffffffffff.log"); code != exit.NotFound || !strings.Contains(errs, "no blob holds a copy of it") {
		t.Errorf("an unknown file: %d, %q", code, errs)
	}
	if code, _, _ := o.shellErr("blobs", "purge", "--all", "--yes"); code != 0 {
		t.Error("purge", code)
	}
	if code, _, errs := o.shellErr("expand", id, "--full"); code != exit.NotFound || !strings.Contains(errs, "is not in the cache; pi left it in "+path) {
		t.Errorf("purged: %d, %q", code, errs)
	}
}

// leafOf is the first entry of a role.
func (o *outputs) leafOf(role string) string {
	o.t.Helper()
	text := must.Get(os.ReadFile(o.file))(o.t)
	for line := range strings.Lines(string(text)) {
		var e struct {
			ID      string
			Message struct{ Role string }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Message.Role == role {
			return e.ID
		}
	}
	o.t.Fatal("no " + role)
	return ""
}

func TestOnlyOutputsThatPiLeftAreKeptAndOnlyOnce(t *testing.T) {
	t.Parallel()
	o := newOutputs(t)
	secret := filepath.Join(t.TempDir(), "pi-bash-aaaaaaaaaaaaaaaa.log")
	must.Do(t, os.WriteFile(secret, []byte("somebody's"), 0o600))
	must.Do(t, os.Symlink(secret, filepath.Join(o.temp, "pi-bash-bbbbbbbbbbbbbbbb.log")))
	must.Do(t, os.Mkdir(filepath.Join(o.temp, "pi-bash-cccccccccccccccc.log"), 0o700))
	o.result("pi-bash-1111111111111111.log", "of a command that failed", false)
	o.add(`{"role":"toolResult","toolCallId":"d","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":false,"timestamp":2}`,
		strings.Repeat("x", 3000)+strings.Join([]string{
			"", secret, filepath.Join(o.temp, "pi-bash-bbbbbbbbbbbbbbbb.log"), filepath.Join(o.temp, "pi-bash-cccccccccccccccc.log"),
			filepath.Join(o.temp, "pi-bash-dddddddddddddddd.log"), o.temp + "/../x/pi-bash-1.log", "/etc/passwd",
		}, "] Full output: ")+"]")
	must.Do(t, os.WriteFile(filepath.Join(o.temp, "pi-output-2222222222222222.log"), []byte("of the user"), 0o600))
	o.add(`{"role":"bashExecution","command":"make","output":"x","exitCode":0,"cancelled":false,"truncated":true,"fullOutputPath":%q,"timestamp":3}`, filepath.Join(o.temp, "pi-output-2222222222222222.log"))
	for range 2 {
		o.turn()
	}
	all, err := o.cache().List()
	must.Stop(t, err != nil || len(all) != 2, "%+v, %v", all, err)
	for _, i := range all {
		if b, err := o.cache().Peek(i.ID); err != nil || string(b.Text) != "of a command that failed" && string(b.Text) != "of the user" {
			t.Errorf("%q, %v", b.Text, err)
		}
	}
	o.config("[blobs]\nenabled = false\n")
	o.result("pi-bash-3333333333333333.log", "while it is off", true)
	o.turn()
	if all, _ := o.cache().List(); len(all) != 2 {
		t.Errorf("kept while it is off: %+v", all)
	}
}

func TestACopyOfASessionKeepsTheOutputsItHasAPartOf(t *testing.T) {
	t.Parallel()
	o := newOutputs(t)
	o.result("pi-bash-0123456789abcdef.log", "whole", true)
	o.turn()
	all, err := o.cache().List()
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	a := cli.NewRun(o.env(nil, nil))
	fork := filepath.Join(o.dir, "sessions", "p", "fork.jsonl")
	must.Do(t, os.MkdirAll(filepath.Dir(fork), 0o700))
	must.Do(t, os.Rename(o.file, fork))
	must.Not(t, !a.NamedBlobs(t.Context(), o.cache())(all[0].ID), "the copy has a part of it, and it goes")
	must.Do(t, os.Remove(fork))
	must.Not(t, a.NamedBlobs(t.Context(), blob.At(o.cache().Dir(), time.Now))(all[0].ID), "no session has a part of it, and it stays")
}

//go:build unix

package commands_test

import (
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/workspace"
)

// hung is after what time a process counts as one that does not end at all.
const hung = 20 * time.Second

// interrupted is a project in which commands take longer than anybody waits.
type interrupted struct{ dir, program string }

func newInterrupted(t *testing.T) *interrupted {
	t.Helper()
	if testing.Short() {
		t.Skip("not run with -short: it waits for processes")
	}
	program, err := exec.LookPath("pictx") // which testscript.Main put there
	must.Do(t, err)
	p := &interrupted{dir: t.TempDir(), program: program}
	for _, dir := range []string{"project/.git", "project/src", "agent", "bin", "tmp"} {
		must.Do(t, os.MkdirAll(filepath.Join(p.dir, dir), 0o700))
	}
	return p
}

func (p *interrupted) write(t *testing.T, name, text string, perm os.FileMode) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), perm))
}

func (p *interrupted) command(args string) *exec.Cmd {
	cmd := exec.Command(p.program, strings.Fields(args)...)
	cmd.Dir = filepath.Join(p.dir, "project")
	cmd.Env = []string{
		"HOME=" + p.dir, "PI_CODING_AGENT_DIR=" + filepath.Join(p.dir, "agent"), "TMPDIR=" + filepath.Join(p.dir, "tmp"),
		"PATH=" + filepath.Join(p.dir, "bin") + ":" + os.Getenv("PATH"),
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// held has a store that another process writes to.
func (p *interrupted) held(t *testing.T) {
	t.Helper()
	p.write(t, "s.jsonl", `{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"`+p.dir+`/project"}`+"\n", 0o600)
	if out, err := p.command("import ../s.jsonl").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	stores, err := filepath.Glob(filepath.Join(p.dir, "agent/pictx/*.db"))
	if err != nil || len(stores) != 1 {
		t.Fatal(stores, err)
	}
	db := must.Get(sql.Open(sqlhook.Driver, stores[0]))(t)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	must.Get(db.Exec(`BEGIN IMMEDIATE`))(t)
	p.write(t, "s.jsonl", `{"type":"session","version":3,"id":"other","timestamp":"2026-03-02T09:00:00.000Z","cwd":"`+p.dir+`/project"}`+"\n", 0o600)
}

// decided has more decisions than can be compared in a moment.
func (p *interrupted) decided(t *testing.T) {
	t.Helper()
	if out, err := p.command("decision add Use tabs").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	path := filepath.Join(p.dir, "project/.pi/decision-memory/decisions.jsonl")
	line := must.Get(os.ReadFile(path))(t)
	_, id, _ := strings.Cut(string(line), `"i":"`)
	id, _, _ = strings.Cut(id, `"`)
	_, key, _ := strings.Cut(string(line), `"k":"`)
	key, _, _ = strings.Cut(key, `"`)
	var log strings.Builder
	for i := range 30_000 {
		log.WriteString(strings.NewReplacer(id, fmt.Sprintf("%s%04d", id[:len(id)-4], i%10_000), key, fmt.Sprintf("%s%08d", key[:len(key)-8], i),
			"Use tabs", fmt.Sprintf("Use cache %d before queue %d and store %d", i%91, i%83, i%79)).Replace(string(line)))
	}
	must.Do(t, os.WriteFile(path, []byte(log.String()), 0o600))
}

// unanswered has a git that does not answer, and has a child.
func (p *interrupted) unanswered(t *testing.T) {
	t.Helper()
	p.write(t, "bin/git", "#!/bin/sh\nsleep 600 &\necho $$ >>\"$HOME/pids\"\nwait\n", 0o700)
	p.write(t, "project/src/a.ts", "export const a = 1\n", 0o600)
}

// A command that is interrupted ends, whatever it waits for or works on, with what it
// started, and leaves no temporary file.
//
// Holds kota 60.
func TestCommandsEndWhenTheyAreInterrupted(t *testing.T) {
	t.Parallel()
	for args, prepare := range map[string]func(*interrupted, *testing.T){
		"import ../s.jsonl":                  (*interrupted).held,
		"history vacuum":                     (*interrupted).held,
		"decision audit":                     (*interrupted).decided,
		"decision audit --diff HEAD~1..HEAD": (*interrupted).unanswered,
		"kota index":                         (*interrupted).unanswered,
		"kota impact --diff HEAD":            (*interrupted).unanswered,
		"hook --serve":                       (*interrupted).held,
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			p := newInterrupted(t)
			prepare(p, t)
			p.interrupt(t, args, syscall.SIGINT)
		})
	}
}

func (p *interrupted) interrupt(t *testing.T, args string, s syscall.Signal) {
	t.Helper()
	want := exit.Interrupted
	if strings.HasPrefix(args, "hook") {
		want = exit.OK
	}
	// The signal is to come between the moment at which the command listens and its end:
	// both are at other times on other machines.
	early, late := time.Duration(0), 2*time.Second
	for range 12 {
		wait := (early + late) / 2
		cmd := p.command(args)
		out, held, ended := endless(t, cmd)
		select {
		case <-ended:
			late = wait
			continue
		case <-time.After(wait):
		}
		_ = cmd.Process.Signal(s)
		select {
		case <-ended:
		case <-time.After(hung):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			t.Fatalf("%v: it goes on; it said %s", s, out)
		}
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if status.Signaled() { // it had not begun to listen
			early, late = wait, max(late, 4*wait)
			continue
		}
		code := cmd.ProcessState.ExitCode()
		if code != want && strings.HasSuffix(out.String(), " findings\n") { // it was done already
			late = wait
			continue
		}
		must.Not(t, code != want, "%v: exit code %d, want %d; it said %s", s, code, want, out)
		p.nothingLeft(t, held)
		return
	}
	t.Errorf("%v: no moment was found at which it works, from %v to %v", s, early, late)
}

// endless starts a command whose input does not end. Whatever it starts, in whatever group, can
// write to what held reads from.
func endless(t *testing.T, cmd *exec.Cmd) (out *strings.Builder, held *os.File, ended chan error) {
	t.Helper()
	out = new(strings.Builder)
	cmd.Stdout, cmd.Stderr = out, out
	held, hold, err := os.Pipe()
	must.Do(t, err)
	cmd.ExtraFiles = []*os.File{hold}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	hold.Close()
	must.Do(t, err)
	t.Cleanup(func() { in.Close(); held.Close() })
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return out, held, ended
}

// besieged has a store that another process writes to, a git and an editor that do not
// answer, and a pipe into which nobody writes in place of each file of the project and of the
// agent's session.
func (p *interrupted) besieged(t *testing.T) {
	t.Helper()
	p.held(t)
	p.unanswered(t)
	p.write(t, "bin/editor", "#!/bin/sh\nexec sleep 600\n", 0o700)
	pipes := []string{
		"pipe", "project/.gitignore", "project/.gitattributes", "project/package.json", "project/tsconfig.json", "project/go.mod", "project/src/pipe.ts",
		"project/AGENTS.md", "project/.pi/pictx.toml", "project/.pi/settings.json", "project/.pi/decision-memory/decisions.jsonl",
		"agent/sessions/" + strings.ReplaceAll("-"+p.dir+"/project", "/", "-") + "--/pipe.jsonl",
	}
	for _, name := range pipes {
		at := filepath.Join(p.dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(at), 0o700))
		must.Do(t, syscall.Mkfifo(at, 0o600))
	}
}

// everyCommand returns a line for each command: its arguments name a pipe.
func everyCommand(cmd *cobra.Command) []string {
	var lines []string
	if cmd.Runnable() && cmd.HasParent() {
		line := strings.TrimPrefix(cmd.CommandPath(), "pictx ")
		for range regexp.MustCompile(`\b[A-Z]{2,}`).FindAllString(cmd.Use, -1) {
			line += " ../pipe"
		}
		lines = append(lines, line)
	}
	for _, c := range cmd.Commands() {
		lines = append(lines, everyCommand(c)...)
	}
	return lines
}

// Whatever a command reads may never come: each ends by itself, or when it is told to, and with
// what it started.
func TestEveryCommandEndsThoughNothingItReadsDoes(t *testing.T) {
	t.Parallel()
	p := newInterrupted(t)
	p.besieged(t)
	lines := everyCommand(commands.Root(&cli.Env{Process: workspace.Process{Dir: t.TempDir(), Now: time.Now, Environ: []string{"HOME=" + p.dir}}}))
	lines = append(lines, "decision add -", "hook context", "hook session_start", "hook --serve", "hook turn_end", "decision import -")
	must.Stop(t, len(lines) < 80, "there are only %d commands: %v", len(lines), lines)
	var told atomic.Int32
	var running sync.WaitGroup
	places := make(chan struct{}, 8) // they wait more than they work, and not for one another
	for _, line := range lines {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			t.Run(line, func(t *testing.T) { // not t.Parallel: it would wait for those that work
				if p.endsWhenTold(t, line) {
					told.Add(1)
				}
			})
		})
	}
	running.Wait()
	p.noTemporary(t) // others had theirs until now
	must.Not(t, told.Load() == 0, "each ended before it was told to: this shows nothing")
	t.Logf("%d of %d commands were still at work", told.Load(), len(lines))
}

// endsWhenTold starts a command, and reports whether it had to be told to end.
func (p *interrupted) endsWhenTold(t *testing.T, line string) (told bool) {
	t.Helper()
	cmd := p.command(line)
	cmd.Env = append(cmd.Env, "EDITOR=editor")
	out, held, ended := endless(t, cmd)
	select {
	case <-ended:
	case <-time.After(time.Second / 2):
		told = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(hung):
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			t.Fatalf("it goes on; it said %s", out)
		}
	}
	p.noProcess(t, held)
	return told
}

// nothingLeft checks that neither a process nor a temporary file is left.
func (p *interrupted) nothingLeft(t *testing.T, held *os.File) {
	t.Helper()
	p.noProcess(t, held)
	p.noTemporary(t)
}

// noProcess checks that no process is left that could write to what held reads from.
func (p *interrupted) noProcess(t *testing.T, held *os.File) {
	t.Helper()
	must.Do(t, held.SetReadDeadline(time.Now().Add(hung)))
	if _, err := io.Copy(io.Discard, held); err != nil {
		t.Errorf("a process that it started is left: %v", err)
		pids, err := os.ReadFile(filepath.Join(p.dir, "pids"))
		for _, pid := range strings.Fields(string(pids)) {
			if n, bad := strconv.Atoi(pid); err == nil && bad == nil {
				_ = syscall.Kill(-n, syscall.SIGKILL)
			}
		}
	}
}

//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

const (
	// relayEnv names the program that a relay starts: this test binary then passes on
	// what pi and pictx say to each other.
	relayEnv = "PICTX_E2E_RELAY"
	// lossEnv names a file with the events whose replies a relay loses.
	lossEnv = "PICTX_E2E_LOSS"
)

// losing puts a relay between pi and pictx. It returns what has the replies to some events
// lost from now on: pictx has then done its work, and pi hears nothing of it.
func (h *home) losing(t *testing.T) func(events ...string) {
	t.Helper()
	self := must.Get(os.Executable())(t)
	file := filepath.Join(t.TempDir(), "loss")
	h.env = append(h.env, relayEnv+"="+h.bin, lossEnv+"="+file)
	h.bin = self
	lose := func(events ...string) {
		must.Do(t, os.WriteFile(file, []byte(strings.Join(events, " ")), 0o600))
	}
	lose()
	return lose
}

// lost reports whether the replies to an event are lost.
func lost(event string) bool {
	raw, err := os.ReadFile(os.Getenv(lossEnv))
	return err == nil && slices.Contains(strings.Fields(string(raw)), event)
}

// relay is the main function of a relay.
func relay(bin string, args []string) int {
	cmd := exec.Command(bin, args...)
	cmd.Stderr = os.Stderr
	var err error
	if len(args) > 1 && args[1] == "--serve" {
		err = relayLines(cmd)
	} else {
		err = relayOne(cmd, args)
	}
	if err != nil && cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// relayOne relays one reply. One that is lost comes without what pictx decided.
func relayOne(cmd *exec.Cmd, args []string) error {
	cmd.Stdin = os.Stdin
	out, err := cmd.Output()
	if len(args) > 1 && lost(args[1]) {
		out = []byte("{}\n")
	}
	os.Stdout.Write(out)
	return err
}

// relayLines relays replies line by line, likewise.
func relayLines(cmd *exec.Cmd) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var gone sync.Map // the ids of requests whose replies are lost
	go func() {
		defer in.Close()
		eachLine(os.Stdin, func(line []byte) {
			var e envelope
			if json.Unmarshal(line, &e) == nil && lost(e.Event) {
				gone.Store(e.ID, true)
			}
			in.Write(line)
		})
	}()
	eachLine(out, func(line []byte) {
		var r struct{ ID string }
		if json.Unmarshal(line, &r) == nil {
			if _, ok := gone.Load(r.ID); ok {
				line = append(asJSON(object{"id": r.ID}), '\n')
			}
		}
		os.Stdout.Write(line)
	})
	return cmd.Wait()
}

func eachLine(from io.Reader, f func([]byte)) {
	for in := bufio.NewReader(from); ; {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			f(line)
		}
		if err != nil {
			return
		}
	}
}

// After a pause the prompt is written anyway, and pictx prunes. When pi does not hear of
// that, the prompt goes out as it was and is cached again: to prune then would have it
// written twice. It waits for the next moment at which nothing is lost.
func TestAPruneWhoseReplyIsLostDoesNotRewriteAWarmCache(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h := autoHome(t, version, transportOf(version))
		h.keeps = 0 // nothing is known: five minutes
		lose := h.losing(t)
		h.once(t, "One.", h.print(t, "one", 1000), essay(), glance(), say("one"))
		h.elapse(t, 10*time.Minute)
		p := h.start(t, "--continue")
		lose("before_agent_start", "context")
		wantMarks(t, "with the reply lost", p.ask("Two.", say("two")), 0)
		lose()
		wantMarks(t, "while the cache is warm", p.ask("Three.", glance(), glance(), say("three")), 0, 0, 0)
		p.to("second")
		wantMarks(t, "when it is cold", p.ask("Four.", glance(), say("four")), 1, 1)
		p.finish()
		if made := grows(t, h.model.turns()); len(made) != 1 {
			t.Errorf("rewrites made %v markers", made)
		}
		h.restores(t)
	})
}

//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// imports imports all sessions.
func (s *soak) imports(ctx context.Context, rng *rand.Rand) {
	pause(ctx, time.Duration(rng.Intn(3000))*time.Millisecond)
	s.pictxMaybe(rng, "", "import")
	if rng.Intn(10) == 0 {
		s.pictxMaybe(rng, "", "store", "migrate")
	}
}

// model is a program that writes summaries. It is slow, so that content is erased
// meanwhile, and repeats the tokens and secrets of its input.
const model = `#!/bin/sh
sleep 0.3
echo '## Goal'
echo 'The work goes on with these:'
grep -o 'SECRETq[0-9]*\|tok[0-9]*' | tail -20
`

// compacts summarizes a session with or without a model.
func (s *soak) compacts(ctx context.Context, rng *rand.Rand) {
	pause(ctx, time.Duration(rng.Intn(3000))*time.Millisecond)
	v := s.truth.closedSession(rng)
	if v == nil {
		return
	}
	how := []string{"--model", "none"}
	if rng.Intn(3) > 0 {
		how = []string{"--yes", "--command", filepath.Join(s.dir, "bin", "model")}
	}
	r := s.pictxMaybe(rng, "", append([]string{"compact", v.file, "--json", "--keep", "1"}, how...)...)
	var did struct{ Written, Extracted, Calls int }
	if r.ended() && json.Unmarshal([]byte(r.out), &did) == nil {
		s.figures.add("summaries written", did.Written)
		s.figures.add("answers of the model", did.Calls)
	}
}

// erases redacts a secret, or purges an entry or a session. It retries until the command
// ends by itself: a retry after a kill must yield the same result.
func (s *soak) erases(ctx context.Context, rng *rand.Rand) {
	pause(ctx, time.Duration(200+rng.Intn(1500))*time.Millisecond)
	family := s.truth.freeze(rng)
	if len(family) == 0 {
		return
	}
	args := []string{"import"}
	for _, v := range family {
		args = append(args, v.file)
	}
	if s.pictxOnce(args...).code != 0 {
		return
	}
	v := family[rng.Intn(len(family))]
	l := v.lines[rng.Intn(len(v.lines))]
	switch {
	case l.secret != "" || rng.Intn(2) == 0:
		for _, l = range v.lines {
			if l.secret != "" && !s.truth.redacted[l.secret] {
				s.erase(ctx, rng, func() { s.truth.redacted[l.secret] = true }, "redact", l.secret)
				return
			}
		}
	case rng.Intn(3) > 0:
		s.erase(ctx, rng, func() { s.truth.purged[l.token] = true }, "purge", "--match", l.token)
	default:
		s.erase(ctx, rng, func() { s.truth.forget(v) }, "purge", "--session", v.id)
	}
}

// erase runs a command until it ends by itself, and then calls done.
func (s *soak) erase(ctx context.Context, rng *rand.Rand, done func(), args ...string) {
	for n := 0; ; n++ {
		r := s.pictxMaybe(rng, "", append(append([]string{"history"}, args...), "--yes")...)
		const unknown = 3 // an earlier, killed run did all of it
		if r.ended() || n > 0 && r.code == unknown {
			s.truth.change(done)
			s.figures.count("erased: " + args[0])
			return
		}
		if ctx.Err() != nil && n > 20 {
			return
		}
	}
}

// forget records that a session was purged. Tokens that no other session has are gone. The
// caller holds the lock.
func (t *truth) forget(v *session) {
	v.gone = true
	elsewhere := map[string]bool{}
	for _, o := range t.order {
		if o != v && !o.gone && o.family == v.family {
			for _, l := range slices.Concat(o.lines, o.old, o.seen) {
				elsewhere[l.token] = true
			}
		}
	}
	for _, l := range slices.Concat(v.lines, v.old, v.seen) {
		if !elsewhere[l.token] {
			t.purged[l.token] = true
		}
	}
}

// beginRepository creates the repository with a first decision.
func (s *soak) beginRepository() error {
	gitconfig := "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(s.dir, "home", ".gitconfig"), []byte(gitconfig), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.project(), "README"), []byte("soak\n"), 0o600); err != nil {
		return err
	}
	if err := s.git("init", "-q"); err != nil {
		return err
	}
	if err := s.commit(); err != nil {
		return err
	}
	if r := s.pictxOnce("decision", "init", "--driver", "--yes"); r.code != 0 {
		return fmt.Errorf("decision init: %s", r.said)
	}
	return s.commit()
}

func (s *soak) git(args ...string) error {
	cmd := s.command()
	cmd.Path, cmd.Args = "git", append([]string{"git"}, args...)
	if path, err := exec.LookPath("git"); err == nil {
		cmd.Path = path
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (s *soak) commit() error {
	if err := s.git("add", "-A"); err != nil {
		return err
	}
	return s.git("commit", "-q", "--allow-empty", "-m", "work")
}

// decides adds decisions on a branch and on main, and merges the two.
func (s *soak) decides(ctx context.Context, rng *rand.Rand) {
	branch := fmt.Sprintf("work%d", s.truth.number())
	steps := []func() error{
		func() error { return s.git("checkout", "-q", "-b", branch) },
		func() error { return s.decideSome(ctx, rng) },
		func() error { return s.git("checkout", "-q", "main") },
		func() error { return s.decideSome(ctx, rng) },
		func() error { return s.git("merge", "-q", "--no-edit", branch) },
		func() error { return s.git("branch", "-q", "-d", branch) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			s.truth.change(func() { s.figures.count("git failed: " + firstLine(err.Error())) })
			_ = s.git("merge", "--abort")
			_ = s.git("checkout", "-q", "-f", "main")
			return
		}
	}
	s.figures.count("branches merged")
}

// decideSome adds decisions, rejects some of them, and commits.
func (s *soak) decideSome(ctx context.Context, rng *rand.Rand) error {
	for range 1 + rng.Intn(3) {
		pause(ctx, time.Duration(rng.Intn(1500))*time.Millisecond)
		n := s.truth.number()
		text := fmt.Sprintf("Rule %d says %s", n, words(rng, 6))
		r := s.pictxMaybe(rng, "", "decision", "add", text, "--force", "--json", "--reason", "it holds")
		var added struct{ Decisions []struct{ ID string } }
		if r.code != 0 || json.Unmarshal([]byte(r.out), &added) != nil || len(added.Decisions) != 1 {
			continue
		}
		d := decision{id: added.Decisions[0].ID, status: "active"}
		if rng.Intn(4) == 0 {
			switch r := s.pictxMaybe(rng, "", "decision", "reject", d.id, "--reason", "tried it"); {
			case r.code == 0:
				d.status = "rejected"
			case r.killed:
				d.status = "" // either status is right
			}
		}
		s.truth.change(func() { s.truth.decisions[text] = d })
		s.figures.count("decisions acknowledged")
	}
	return s.commit()
}

// controls activates and deactivates an object of a session.
func (s *soak) controls(ctx context.Context, rng *rand.Rand) {
	pause(ctx, time.Duration(rng.Intn(2000))*time.Millisecond)
	v := s.truth.closedSession(rng)
	if v == nil {
		return
	}
	ids := s.calls(v.id)
	if len(ids) == 0 {
		return
	}
	s.truth.change(func() { s.truth.objects[v.id] = max(s.truth.objects[v.id], len(ids)) })
	id := ids[rng.Intn(len(ids))].ID
	for range 1 + rng.Intn(3) {
		what, state := "deactivate", "inactive"
		if rng.Intn(2) == 0 {
			what, state = "activate", "active"
		}
		key := [2]string{v.id, id}
		switch r := s.pictxMaybe(rng, "", "object", what, id, "--session", v.id); {
		case r.code == 0:
			s.truth.change(func() { s.truth.states[key] = state })
			s.figures.count("states of objects acknowledged")
		case r.killed:
			s.truth.change(func() { delete(s.truth.states, key) })
		}
	}
}

// object is an element of the output of object list.
type object struct{ ID, Type, State string }

// calls returns the objects that are tool calls of a session.
func (s *soak) calls(session string) []object {
	var out []object
	lines := bufio.NewScanner(strings.NewReader(s.pictxOnce("object", "list", "--session", session, "--json").out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o object
		if json.Unmarshal(lines.Bytes(), &o) == nil && o.Type == "toolcall" {
			out = append(out, o)
		}
	}
	return out
}

// spills stores the full text of a result as a blob, and sometimes purges one.
func (s *soak) spills(ctx context.Context, rng *rand.Rand) {
	pause(ctx, time.Duration(rng.Intn(2000))*time.Millisecond)
	text := fmt.Sprintf("%s\nblob %d\n", strings.Repeat(words(rng, 20)+"\n", 400), s.truth.number())
	request := s.request("tool_result", map[string]any{"id": "spill"}, map[string]any{
		"toolName": "bash", "toolCallId": "c", "content": []any{map[string]any{"type": "text", "text": text}},
	})
	r := s.pictxMaybe(rng, request, "hook", "tool_result")
	var reply struct {
		Result struct{ Details struct{ BlobID string } }
	}
	if json.Unmarshal([]byte(r.out), &reply) == nil && reply.Result.Details.BlobID != "" {
		s.truth.change(func() { s.truth.blobs[reply.Result.Details.BlobID] = text })
		s.figures.count("blobs acknowledged")
	}
	if rng.Intn(5) == 0 {
		s.purgeBlob(rng)
	}
	if rng.Intn(10) == 0 {
		s.pictxMaybe(rng, "", "blobs", "gc")
	}
}

// purgeBlob removes a blob and retries until that is done.
func (s *soak) purgeBlob(rng *rand.Rand) {
	for id, text := range s.truth.blobs { // only this worker changes blobs
		if text == "" {
			continue
		}
		for range 20 {
			if r := s.pictxMaybe(rng, "", "blobs", "purge", id, "--yes"); !r.killed {
				s.truth.change(func() { s.truth.blobs[id] = "" })
				s.figures.count("blobs purged")
				return
			}
		}
	}
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The session on which hooks are measured, in the middle of the agent's work.
const (
	hookMessages = 1000 // messages before the measurement begins
	hookSize     = 1500 // bytes per message
	// modelTime simulates the duration of a model call, during which the program does work
	// that nobody waits for. Real calls take seconds; to index a megabyte of output takes a
	// tenth of one.
	modelTime, longModelTime = 60 * time.Millisecond, 600 * time.Millisecond
)

// agent simulates an agent: it appends the entries of turns and sends requests.
type agent struct {
	lab      *lab
	dir      string   // the agent's directory
	file     string   // the session file
	lines    [][]byte // entries to be appended, one each
	leaf     string
	edits    int
	keys     []any // of the messages so far
	keepsOwn bool  // whether it stores context edits in its session
	last     *exec.Cmd
}

// hookTimes measures how long an agent waits for pictx before every call of the model.
func (l *lab) hookTimes(rounds, stored int) error {
	big := filepath.Join(l.dir, "big")
	if stored > 0 {
		if err := l.fill(big, stored); err != nil {
			return err
		}
	}
	fmt.Printf("\nhooks at %d messages of %d bytes: milliseconds until the reply\n\n", hookMessages, hookSize)
	fmt.Printf("%-50s %9s %9s %9s\n", "", "median", "95 %", "least")
	for _, c := range []struct {
		name     string
		serve    bool
		event    string
		keepsOwn bool
	}{
		{"serve, turn_end: read, store and plan a turn", true, "turn_end", true},
		{"serve, context: every edit named", true, "context", false},
		{"one shot, turn_end", false, "turn_end", true},
		{"one shot, context", false, "context", false},
	} {
		a, err := l.newAgent(c.keepsOwn, rounds)
		if err != nil {
			return err
		}
		if stored > 0 {
			a.dir = big
		}
		took, err := a.measure(c.serve, c.event, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		slices.Sort(took)
		fmt.Printf("%-50s %9.1f %9.1f %9.1f\n", c.name, ms(took[len(took)/2]), ms(took[len(took)*95/100]), ms(took[0]))
	}
	for _, serve := range []bool{true, false} {
		if err := l.starts(serve, rounds/4, cmp.Or(map[bool]string{stored > 0: big}[true], l.dir)); err != nil {
			return err
		}
	}
	return nil
}

// fill stores many messages in the project of the hooks.
func (l *lab) fill(dir string, messages int) error {
	const perSession = 20_000
	sessions, err := os.MkdirTemp(l.dir, "sessions-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(sessions)
	for i := 0; i < messages; i += perSession {
		name := fmt.Sprintf("big-%04d", i/perSession)
		if err := writeSession(filepath.Join(sessions, name+".jsonl"), name, min(perSession, messages-i), hookSize); err != nil {
			return err
		}
	}
	if out, err := l.command(dir, l.pictx, "import", sessions).CombinedOutput(); err != nil {
		return fmt.Errorf("import: %w: %s", err, out)
	}
	var size int64
	stores, err := filepath.Glob(filepath.Join(dir, "pictx", "*.db"))
	for _, s := range stores {
		if st, err := os.Stat(s); err == nil {
			size += st.Size()
		}
	}
	fmt.Printf("\n%d messages are in the store, %d MB\n", messages, size>>20)
	return err
}

// starts measures the time before the first call of the model: the process starts, says
// hello, and answers the first before_agent_start.
func (l *lab) starts(serve bool, rounds int, dir string) error {
	var took []time.Duration
	name := "one shot, hello and the first before_agent_start"
	if serve {
		name = "serve, hello and the first before_agent_start"
	}
	for range rounds {
		a, err := l.newAgent(true, 0)
		if err != nil {
			return err
		}
		a.dir = dir
		in, err := a.request("before_agent_start")
		if err != nil {
			return err
		}
		start := time.Now()
		if err := a.first(serve, in); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	fmt.Printf("%-50s %9.1f %9.1f %9.1f\n", name, ms(took[len(took)/2]), ms(took[len(took)*95/100]), ms(took[0]))
	return nil
}

// first sends the first request of a session.
func (a *agent) first(serve bool, in []byte) error {
	if !serve {
		hello := a.lab.command(a.dir, a.lab.pictx, "hook", "hello")
		if _, err := hello.Output(); err != nil {
			return err
		}
		_, err := a.once("before_agent_start", in)
		return err
	}
	stop, ask, err := a.serve()
	if err != nil {
		return err
	}
	_, err = ask("before_agent_start", in)
	go stop()
	return err
}

// newAgent writes the beginning of the session.
func (l *lab) newAgent(keepsOwn bool, rounds int) (*agent, error) {
	dir, err := os.MkdirTemp(l.dir, "agent-")
	if err != nil {
		return nil, err
	}
	a := &agent{lab: l, dir: dir, file: filepath.Join(dir, "session.jsonl"), keepsOwn: keepsOwn}
	whole := filepath.Join(dir, "whole")
	if err := writeSession(whole, "hooks", hookMessages+3*(rounds+2), hookSize); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(whole)
	if err != nil {
		return nil, err
	}
	a.lines = bytes.SplitAfter(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	return a, a.append(hookMessages + 1)
}

// append appends the next n entries to the session file.
func (a *agent) append(n int) error {
	for i, line := range a.lines[:n] {
		var e struct {
			ID       string
			ParentID string
			Message  *struct {
				Role       string
				Timestamp  float64
				ToolCallID string
			}
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if i == 0 && a.leaf != "" { // it follows what pictx had appended
			a.lines[0] = bytes.Replace(line, []byte(`"parentId":"`+e.ParentID), []byte(`"parentId":"`+a.leaf), 1)
		}
		if e.Message != nil {
			a.leaf = e.ID
			key := map[string]any{"i": len(a.keys), "role": e.Message.Role, "timestamp": e.Message.Timestamp}
			if e.Message.ToolCallID != "" {
				key["toolCallId"] = e.Message.ToolCallID
			}
			a.keys = append(a.keys, key)
			if i == n-1 && a.lab.output > 0 && n < hookMessages {
				a.lines[i] = bytes.Replace(a.lines[i], []byte(`"text":"`), []byte(`"text":"`+a.log()), 1)
			}
		}
	}
	text := bytes.Join(a.lines[:n], nil)
	a.lines = a.lines[n:]
	return a.write(text)
}

// log returns the output of a command, with \n as JSON has it.
func (a *agent) log() string {
	var b strings.Builder
	for i := 0; b.Len() < a.lab.output; i++ {
		fmt.Fprintf(&b, `%s order-%05d of customer %d took %d ms in worker %d\n`, "2026-03-02T09:00:00Z", len(a.keys)*7+i, i*31%997, i*i%1013, i%8)
	}
	return b.String()
}

func (a *agent) write(text []byte) error {
	f, err := os.OpenFile(a.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// keep appends what a reply asks to be recorded in the session, as an agent does: context
// edits if the agent stores those, else the entries that record what was pruned. Without
// them pictx would assume that the reply was lost and decide again each time.
func (a *agent) keep(reply []byte) error {
	var r struct {
		Error  string
		Result struct {
			Entries []map[string]any
		}
		Effects []struct {
			Type, CustomType string
			Data             json.RawMessage
		}
	}
	if err := json.Unmarshal(reply, &r); err != nil || r.Error != "" {
		return fmt.Errorf("reply %.200s: %w", reply, err)
	}
	for _, e := range r.Effects {
		if e.Type == "appendEntry" {
			r.Result.Entries = append(r.Result.Entries, map[string]any{"type": "custom", "customType": e.CustomType, "data": e.Data})
		}
	}
	var text []byte
	for _, e := range r.Result.Entries {
		e["id"], e["parentId"] = fmt.Sprintf("edit%04d", a.edits), a.leaf
		a.leaf = e["id"].(string)
		a.edits++
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	return a.write(text)
}

// request returns a request to pictx.
func (a *agent) request(event string) ([]byte, error) {
	can, payload := []string{}, map[string]any{}
	if a.keepsOwn {
		can = append(can, "contextEdit")
	}
	if event == "context" {
		payload["keys"] = a.keys
	}
	b, err := json.Marshal(struct {
		V       int            `json:"v"`
		ID      string         `json:"id"`
		Event   string         `json:"event"`
		CWD     string         `json:"cwd"`
		Can     []string       `json:"can"`
		Session map[string]any `json:"session"`
		Payload map[string]any `json:"payload"`
	}{1, "1", event, a.lab.dir, can, map[string]any{"id": "bench-hooks", "file": a.file, "leafId": a.leaf}, payload})
	return append(b, '\n'), err
}

// measure measures an event repeatedly, with one more turn in the session each time.
func (a *agent) measure(serve bool, event string, rounds int) ([]time.Duration, error) {
	ask := a.once
	if serve {
		stop, served, err := a.serve()
		if err != nil {
			return nil, err
		}
		defer stop()
		ask = served
	}
	var took []time.Duration
	for i, e := range append([]string{"session_start", event, event}, slices.Repeat([]string{event}, rounds)...) {
		if i > 2 {
			if err := a.append(3); err != nil {
				return nil, err
			}
		}
		in, err := a.request(e)
		if err != nil {
			return nil, err
		}
		if a.lab.output > 0 {
			time.Sleep(longModelTime)
		} else {
			time.Sleep(modelTime)
		}
		start := time.Now()
		reply, err := ask(e, in)
		since := time.Since(start)
		if err == nil {
			err = a.keep(reply)
		}
		if err != nil {
			return nil, err
		}
		if i > 2 { // the first rounds store and prune the existing messages
			took = append(took, since)
		}
	}
	return took, nil
}

// once starts a process for a single event. It returns as soon as the reply arrives; the
// process continues with work that nobody waits for.
func (a *agent) once(event string, in []byte) ([]byte, error) {
	if a.last != nil {
		_ = a.last.Wait()
	}
	cmd := a.lab.command(a.dir, a.lab.pictx, "hook", event)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	a.last = cmd
	return bufio.NewReaderSize(out, 1<<20).ReadBytes('\n')
}

// serve starts a process that answers every request.
func (a *agent) serve() (stop func(), ask func(string, []byte) ([]byte, error), err error) {
	cmd := a.lab.command(a.dir, a.lab.pictx, "hook", "--serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadBytes('\n'); err != nil { // the greeting
		return nil, nil, err
	}
	return func() { endOf(cmd, in) }, func(_ string, line []byte) ([]byte, error) {
		if _, err := in.Write(line); err != nil {
			return nil, err
		}
		for {
			reply, err := lines.ReadBytes('\n')
			if err != nil || bytes.Contains(reply[:min(len(reply), 20)], []byte(`"id":"1"`)) {
				return reply, err
			}
		}
	}, nil
}

func endOf(cmd *exec.Cmd, in io.Closer) {
	in.Close()
	_ = cmd.Wait()
}

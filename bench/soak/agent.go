//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The timeouts of pi; see hooks/pi/extension/limits.ts.
const (
	shutdownTime = 3 * time.Second
	goodbyeTime  = time.Second
	answerTime   = 10 * time.Second
)

// agent plays the agent of one session.
type agent struct {
	*soak
	rng    *rand.Rand
	own    *session
	server *server // nil for an agent that starts a process per event
	serves bool
	unhurt bool // no process was killed since the last entry was stored
}

// playSession plays a session from start to end.
func (s *soak) playSession(ctx context.Context, rng *rand.Rand) {
	a := &agent{soak: s, rng: rng, serves: rng.Intn(3) > 0}
	if err := a.begin(); err != nil {
		s.figures.count("agent failed: " + err.Error())
		return
	}
	a.event("session_start", map[string]any{"reason": "startup"})
	for range 3 + rng.Intn(12) {
		if ctx.Err() != nil {
			break
		}
		s.breathe(ctx)
		a.turn()
		pause(ctx, time.Duration(rng.Intn(150))*time.Millisecond)
		if rng.Intn(12) == 0 {
			a.rewrite()
		}
	}
	a.event("agent_end", map[string]any{})
	a.end()
}

// begin writes the header of a new session, or a fork of another.
func (a *agent) begin() error {
	id := fmt.Sprintf("soak%05d-%08x", a.truth.number(), a.rng.Uint32())
	own := &session{id: id, family: id, file: filepath.Join(a.agentDir(), "sessions", "project", "2026-03-02T09-00-00-000Z_"+id+".jsonl")}
	fork := ""
	if a.rng.Intn(4) == 0 {
		if from, lines := a.truth.parent(a.rng); from != nil {
			own.family, own.lines = from.family, lines
			fork = fmt.Sprintf(`,"parentSession":%q`, from.file)
			a.figures.count("sessions forked")
		}
	}
	own.header = fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q%s}`, id, stamp(), a.project(), fork)
	a.own = own
	a.truth.open(own)
	a.figures.count("sessions")
	return a.write()
}

// stamp returns the present time in the form of entries.
func stamp() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// write rewrites the session's file, either in place or, like a tool that synchronizes
// files, by replacing it.
func (a *agent) write() error {
	text := a.own.header + "\n"
	for _, l := range a.own.lines {
		text += l.raw + "\n"
	}
	if a.rng.Intn(2) == 0 {
		return os.WriteFile(a.own.file, []byte(text), 0o600)
	}
	next := a.own.file + ".new"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(next, a.own.file)
}

// leaf returns the id of the last entry.
func (a *agent) leaf() string {
	if n := len(a.own.lines); n > 0 {
		return a.own.lines[n-1].id
	}
	return ""
}

// entry appends an entry to the session's file. Its text ends with a unique token.
func (a *agent) entry(form string, secret string, args ...any) {
	n := a.truth.number()
	l := line{id: fmt.Sprintf("%08x", 0x10000000+n), token: fmt.Sprintf("tok%07d", n), secret: secret}
	text := fmt.Sprintf("%s %s %s", words(a.rng, 5+a.rng.Intn(60)), secret, l.token)
	parent := "null"
	if leaf := a.leaf(); leaf != "" {
		parent = `"` + leaf + `"`
	}
	l.raw = fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":%s}`,
		l.id, parent, stamp(), fmt.Sprintf(form, append(args, text, time.Now().UnixMilli())...))
	f, err := os.OpenFile(a.own.file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(l.raw + "\n")
		f.Close()
	}
	if err != nil {
		a.figures.count("agent failed: " + err.Error())
		return
	}
	a.truth.change(func() { a.own.lines = append(a.own.lines, l) })
	a.figures.count("entries written")
}

// turn plays a turn: a prompt, a response with a tool call, the result, and the final
// response.
func (a *agent) turn() {
	secret := ""
	if a.rng.Intn(3) == 0 {
		secret = fmt.Sprintf("SECRETq%07d", a.truth.number())
	}
	a.entry(`{"role":"user","content":%[1]q,"timestamp":%[2]d}`, secret)
	a.event("before_agent_start", map[string]any{"prompt": "go on", "systemPromptHash": "x"})
	call := fmt.Sprintf("call%d", a.truth.number())
	a.entry(`{"role":"assistant","content":[{"type":"text","text":%[2]q},{"type":"toolCall","id":%[1]q,"name":"bash","arguments":{"command":"make"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude","usage":{"input":10,"output":200,"cacheRead":9000,"cacheWrite":300,"totalTokens":9510,"cost":{"total":0.01}},"stopReason":"toolUse","timestamp":%[3]d}`, "", call)
	a.entry(`{"role":"toolResult","toolCallId":%[1]q,"toolName":"bash","content":[{"type":"text","text":%[2]q}],"isError":false,"timestamp":%[3]d}`, "", call)
	a.entry(`{"role":"assistant","content":[{"type":"text","text":%[1]q}],"api":"anthropic-messages","provider":"anthropic","model":"claude","stopReason":"stop","timestamp":%[2]d}`, "")
	a.event("turn_end", map[string]any{})
}

// request is a request to pictx. V comes first, as in the protocol.
type request struct {
	V       int            `json:"v"`
	ID      string         `json:"id"`
	Event   string         `json:"event"`
	CWD     string         `json:"cwd"`
	Can     []string       `json:"can"`
	Session map[string]any `json:"session"`
	Payload map[string]any `json:"payload"`
}

func (s *soak) request(event string, session, payload map[string]any) string {
	b, _ := json.Marshal(request{1, "1", event, s.project(), []string{"contextEdit"}, session, payload})
	return string(b)
}

// ask returns a request about the agent's session.
func (a *agent) ask(event string, payload map[string]any) string {
	return a.request(event, map[string]any{"id": a.own.id, "file": a.own.file, "leafId": a.leaf()}, payload)
}

// event sends an event. The process that answers it may be killed meanwhile.
func (a *agent) event(event string, payload map[string]any) {
	a.figures.count("events")
	if !a.serves {
		r := a.pictxMaybe(a.rng, a.ask(event, payload), "hook", event)
		a.unhurt = !r.killed
		return
	}
	if a.server == nil {
		if a.server = a.serve(); a.server == nil {
			a.figures.count("serve without greeting")
			return
		}
		a.unhurt = true
	}
	if a.rng.Float64() < a.kills/4 {
		v := a.server
		time.AfterFunc(time.Duration(a.rng.Intn(40))*time.Millisecond, func() { _ = v.cmd.Process.Kill() })
		_ = v.ask(a.ask(event, payload), answerTime)
		v.kill()
		a.server, a.unhurt = nil, false
		a.figures.count("serve killed")
		return
	}
	if !a.server.ask(a.ask(event, payload), answerTime) {
		a.figures.count("events without a reply")
		a.server.kill()
		a.server = nil
	}
}

// rewrite replaces an entry, as pi does when it migrates the format of a session. The
// previous text must stay in the store.
func (a *agent) rewrite() {
	if len(a.own.lines) == 0 {
		return
	}
	i := a.rng.Intn(len(a.own.lines))
	old := a.own.lines[i]
	if old.secret != "" || old.token == "" {
		return
	}
	stored := a.rng.Intn(2) == 0 && a.pictxOnce("import", a.own.file).code == 0
	l := old
	l.token = fmt.Sprintf("tok%07d", a.truth.number())
	l.raw = strings.Replace(old.raw, old.token, l.token+" as it is now", 1)
	a.truth.change(func() {
		a.own.lines = append([]line(nil), a.own.lines...) // forks share the old backing array
		a.own.lines[i] = l
		if stored {
			a.own.old = append(a.own.old, old)
		} else {
			a.own.seen = append(a.own.seen, old)
		}
	})
	if err := a.write(); err != nil {
		a.figures.count("agent failed: " + err.Error())
	}
	a.figures.count("entries rewritten")
}

// end ends the session as pi does and checks that it is stored completely.
func (a *agent) end() {
	defer a.truth.change(func() { a.own.closed = true })
	request := a.ask("session_shutdown", map[string]any{"reason": "quit"})
	clean := false // the process ended by itself, before pi stopped waiting
	if a.serves && a.server != nil {
		if !a.server.ask(request, shutdownTime) {
			a.figures.count("shutdowns without a reply in time")
		}
		clean = a.server.end(goodbyeTime)
		if !clean {
			a.figures.count("processes killed after a shutdown")
		}
	} else {
		r := a.start(nil, 0, request, "hook", "session_shutdown")
		clean = r.code == 0
	}
	a.atShutdown(clean)
}

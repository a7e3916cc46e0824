package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// protocols are the versions of MCP in which a tool is called the same way, the newest first.
var protocols = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// session is a conversation with a server over a pair of streams, of which this program asks one
// question at a time.
//
// MCP has much more than questions. The client of the SDK serves it all and links HTTP, TLS and
// JSON Schema for it, whose tables every start of this program would set up.
type session struct {
	from *bufio.Reader
	ends []io.Closer
	gone chan struct{} // closed when nothing comes any more
	err  error         // why; valid after gone

	writing sync.Mutex
	to      io.Writer

	mu      sync.Mutex
	last    int64 // the number of the latest question
	waiting chan *jsonrpc.Response
}

// newSession returns a session over what a server prints and reads. bad is told of JSON that is
// no message.
func newSession(from io.ReadCloser, to io.WriteCloser, bad func(line []byte, err error)) *session {
	s := &session{from: bufio.NewReader(from), to: to, ends: []io.Closer{to, from}, gone: make(chan struct{})}
	go s.listen(bad)
	return s
}

// greet opens the conversation.
func (s *session) greet(ctx context.Context, version string) error {
	type program struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	var answer struct {
		Protocol string `json:"protocolVersion"`
	}
	err := s.ask(ctx, "initialize", struct {
		Protocol     string   `json:"protocolVersion"`
		Capabilities struct{} `json:"capabilities"`
		Client       program  `json:"clientInfo"`
	}{protocols[0], struct{}{}, program{"pictx", version}}, &answer)
	if err != nil {
		return err
	}
	if !slices.Contains(protocols, answer.Protocol) {
		return fmt.Errorf("it speaks version %q of MCP, not %s", answer.Protocol, strings.Join(protocols, ", "))
	}
	return s.send(&jsonrpc.Request{Method: "notifications/initialized"})
}

// toolResult is what a tool answers.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

// callTool calls a tool.
func (s *session) callTool(ctx context.Context, name string, args any) (*toolResult, error) {
	var res toolResult
	err := s.ask(ctx, "tools/call", struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}{name, args}, &res)
	return &res, err
}

// ask asks a question and decodes the answer. An error of the server is a *jsonrpc.Error. After
// any other error the session is of no further use.
func (s *session) ask(ctx context.Context, method string, params, answer any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	id, answered, err := s.expect()
	if err != nil {
		return err
	}
	sent := make(chan error, 1) // a server that does not read may block it
	go func() { sent <- s.send(&jsonrpc.Request{ID: id, Method: method, Params: raw}) }()
	for {
		select {
		case err := <-sent:
			if err != nil {
				return err
			}
			sent = nil
		case r := <-answered:
			return decodeAnswer(r, answer)
		case <-s.gone:
			select {
			case r := <-answered: // its last words
				return decodeAnswer(r, answer)
			default:
				return s.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func decodeAnswer(r *jsonrpc.Response, answer any) error {
	if r.Error != nil {
		return r.Error
	}
	return json.Unmarshal(r.Result, answer)
}

// expect returns the number of the next question, and where its answer will be.
func (s *session) expect() (jsonrpc.ID, <-chan *jsonrpc.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.waiting = make(chan *jsonrpc.Response, 1)
	id, err := jsonrpc.MakeID(float64(s.last))
	return id, s.waiting, err
}

// send writes a message on a line of its own.
func (s *session) send(m jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err = s.to.Write(append(b, '\n'))
	return err
}

// listen reads what the server sends, to the end.
func (s *session) listen(bad func(line []byte, err error)) {
	defer close(s.gone)
	for {
		line, err := s.from.ReadBytes('\n')
		if err != nil {
			s.err = err
			return
		}
		m, _ := jsonrpc.DecodeMessage(line) // what is no message is nil
		switch m := m.(type) {
		case *jsonrpc.Response:
			s.deliver(m)
		case *jsonrpc.Request:
			s.reply(m)
		default:
			bad(line, nil)
		}
	}
}

// deliver hands an answer to who asked. One to an earlier question has no use.
func (s *session) deliver(r *jsonrpc.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ID.Raw() == s.last && s.waiting != nil {
		s.waiting <- r
		s.waiting = nil
	}
}

// reply answers a question of the server: that this program is there, and else that it offers
// nothing. A notification has no answer.
func (s *session) reply(q *jsonrpc.Request) {
	if !q.ID.IsValid() {
		return
	}
	r := &jsonrpc.Response{ID: q.ID, Result: json.RawMessage("{}")}
	if q.Method != "ping" {
		r = &jsonrpc.Response{ID: q.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "pictx offers no " + q.Method}}
	}
	_ = s.send(r) // a server that is gone needs no answer
}

// close closes both streams.
func (s *session) close() error {
	var errs []error
	for _, c := range s.ends {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

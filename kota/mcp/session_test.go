package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// talk returns a session with a server that sends the given lines after it read the first
// question, what the session wrote, line by line, and the lines that were no messages. In the
// lines, ID stands for the number of that question. The server closes its output at the end.
func talk(t *testing.T, lines ...string) (s *session, wrote <-chan string, bad <-chan string) {
	t.Helper()
	fromServer, out := io.Pipe()
	in, toServer := io.Pipe()
	heard, odd := make(chan string, 10), make(chan string, 10)
	s = newSession(fromServer, toServer, func(line []byte, _ error) { odd <- strings.TrimSpace(string(line)) })
	go func() {
		r := bufio.NewScanner(in)
		r.Scan()
		heard <- r.Text()
		go func() {
			for _, line := range lines {
				fmt.Fprintln(out, strings.ReplaceAll(line, "ID", "1"))
			}
			out.Close()
		}()
		for r.Scan() {
			heard <- r.Text()
		}
	}()
	t.Cleanup(func() { _ = s.close() })
	return s, heard, odd
}

const greeting = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}`

func TestAServerIsGreetedWithTheVersionOfMCPAndOfPictx(t *testing.T) {
	s, wrote, _ := talk(t, greeting)
	if err := s.greet(t.Context(), "1.2"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"pictx","version":"1.2"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		if got := <-wrote; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAServerOfAnUnknownVersionOfMCPIsRefused(t *testing.T) {
	s, _, _ := talk(t, strings.ReplaceAll(greeting, "2025-06-18", "2031-01-01"))
	if err := s.greet(t.Context(), "1.2"); err == nil || !strings.HasPrefix(err.Error(), `it speaks version "2031-01-01" of MCP, not 2025-11-25, `) {
		t.Errorf("got %v", err)
	}
}

// The last answer counts though the server ends right after it, whatever came before.
func TestAnAnswerIsFoundAmongWhatElseAServerSends(t *testing.T) {
	s, wrote, bad := talk(t,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"hello"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"x","method":"roots/list"}`,
		`{"level":"info"}`,
		`{"jsonrpc":"2.0","id":99,"result":{"content":[{"type":"text","text":"of another question"}]}}`,
		`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"image"},{"type":"text","text":"yes"}]}}`,
	)
	res, err := s.callTool(t.Context(), "search", indexArgs{Repository: "r"})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := answerText("search", res); err != nil || text != "yes" {
		t.Errorf("got %q, %v", text, err)
	}
	for _, want := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"repository":"r","localPath":""}}}`,
		`{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"pictx offers no roots/list"}}`,
	} {
		if got := <-wrote; got != want {
			t.Errorf("it wrote %s, want %s", got, want)
		}
	}
	if got := <-bad; got != `{"level":"info"}` {
		t.Errorf("no message: %s", got)
	}
}

func TestAnErrorOfTheServerIsToldFromItsEnd(t *testing.T) {
	s, _, _ := talk(t, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"locked"}}`)
	var rpc *jsonrpc.Error
	if _, err := s.callTool(t.Context(), "search", nil); !errors.As(err, &rpc) || rpc.Message != "locked" {
		t.Errorf("got %v", err)
	}
	if _, err := s.callTool(t.Context(), "search", nil); !errors.Is(err, io.EOF) {
		t.Errorf("after its end: %v", err)
	}
}

func TestAQuestionToAServerThatDoesNotReadEnds(t *testing.T) {
	from, _ := io.Pipe()
	_, to := io.Pipe()
	s := newSession(from, to, nil)
	t.Cleanup(func() { _ = s.close() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.callTool(ctx, "search", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Package mcp asks KotaDB about source code, a separate program that speaks the Model Context
// Protocol: which files import which, and where a name is used. What KotaDB does not answer, the
// built-in engine does. What it cannot know is Unknown in an answer, never 0.
//
// The package must not know who asks. Start reading at Server; the first question starts KotaDB,
// which ends with its children however this process ends.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/repo"
)

const (
	// patience is how long the server may take to start and to answer once: its first start
	// downloads it, and an index of a large tree takes minutes.
	patience = 10 * time.Minute
	// firstRest is the pause before it is started again, doubled with every failure.
	firstRest, longestRest = 250 * time.Millisecond, 8 * time.Second
	// maxText is the maximum length of a text from KotaDB, in characters.
	maxText = 200
)

// ErrKotaDB is wrapped by errors of starting KotaDB, and of what it answers.
var ErrKotaDB = errors.New("KotaDB")

// Server is KotaDB as a process. It is safe for concurrent use; questions are serialized.
type Server struct {
	Files index.Files
	Dir   string // directory for the database, outside the tree
	// Command starts the server. Guard, the command that runs the function Guard, is put before it.
	Command, Guard []string
	Environ        []string      // environment of this process, KEY=VALUE
	Limit          time.Duration // for a start and an answer, 0 for 10 minutes

	mu       sync.Mutex
	session  *sdk.ClientSession
	said     tail
	failures int
}

// Exists reports whether a directory holds an index of KotaDB.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, indexed))
	return err == nil
}

// indexed is a file in Server.Dir that is as old as the index. It is called indexing until that
// is complete.
const indexed, indexing = "indexed", "indexing"

// Index indexes the tree from scratch: KotaDB would keep deleted files in a database that it
// indexes again.
func (s *Server) Index(ctx context.Context) error {
	s.Restart()
	began := filepath.Join(s.Dir, indexing)
	err := errors.Join(os.RemoveAll(s.Dir), os.MkdirAll(s.Dir, 0o700), os.WriteFile(began, nil, 0o600))
	if err != nil {
		return fmt.Errorf("index with KotaDB: %w", err)
	}
	var done struct{ Status string }
	if err := s.ask(ctx, "index_repository", args{"repository": s.repository(), "localPath": s.Files.Root}, &done); err != nil {
		return err
	}
	if done.Status != "completed" {
		return fmt.Errorf("index with %w: its status is %q", ErrKotaDB, done.Status)
	}
	return os.Rename(began, filepath.Join(s.Dir, indexed))
}

// repository returns the name under which the tree is registered. It is the name that KotaDB
// gives to its working directory, so that KotaDB does not index that a second time.
func (s *Server) repository() string { return "local/" + filepath.Base(s.Files.Root) }

// Process returns "stopped" or "running".
func (s *Server) Process() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return "stopped"
	}
	return "running"
}

// Restart stops the server and its children. The next question starts it without a pause.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	s.failures = 0
}

func (s *Server) stop() {
	if s.session != nil {
		_ = s.session.Close() // Guard kills the server when its input ends
		s.session = nil
	}
}

// args are the arguments of a tool.
type args map[string]any

// ask calls a tool and decodes its answer. A server that ended is started once more.
func (s *Server) ask(ctx context.Context, tool string, a args, to any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := cmp.Or(s.Limit, patience)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s and was stopped", limit))
	defer cancel()
	res, err := s.call(ctx, tool, a)
	if err != nil && s.session == nil && ctx.Err() == nil && !errors.Is(err, ErrKotaDB) {
		res, err = s.call(ctx, tool, a)
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case err == nil:
		err = decode(res, to)
	}
	if err == nil || errors.Is(err, ErrKotaDB) {
		return err
	}
	return fmt.Errorf("ask %w: %s: %s", ErrKotaDB, tool, fence.OneLine(err.Error(), maxText))
}

// call calls a tool. It stops a server that ended or does not answer.
func (s *Server) call(ctx context.Context, tool string, a args) (*sdk.CallToolResult, error) {
	if err := s.start(ctx); err != nil {
		s.failures++
		return nil, err
	}
	res, err := s.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil && !errors.As(err, new(*jsonrpc.Error)) {
		s.stop()
		s.failures++
		return nil, fmt.Errorf("%w%s", cmp.Or(context.Cause(ctx), err), s.said.last())
	}
	s.failures = 0
	return res, err
}

// start starts the server unless it runs, after a pause when it failed before.
func (s *Server) start(ctx context.Context) error {
	if s.session != nil {
		return nil
	}
	if s.failures > 0 {
		select {
		case <-time.After(min(firstRest<<min(s.failures-1, 10), longestRest)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	tried := strings.Join(s.Command, " ")
	program, err := exec.LookPath(s.Command[0])
	if err != nil {
		return fmt.Errorf("start %w: %s is not installed, tried %s", ErrKotaDB, s.Command[0], tried)
	}
	argv := slices.Concat(s.Guard, []string{program}, s.Command[1:])
	cmd := exec.Command(argv[0], argv[1:]...)
	s.said = tail{}
	cmd.Dir, cmd.Env, cmd.Stderr = s.Files.Root, s.environ(), &s.said
	transport := &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Second}
	// The version of MCP is the one that KotaDB speaks.
	session, err := sdk.NewClient(&sdk.Implementation{Name: "pictx"}, nil).Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return fmt.Errorf("start %w with %s: %w%s", ErrKotaDB, tried, cmp.Or(context.Cause(ctx), err), s.said.last())
	}
	s.session = session
	return nil
}

// environ returns the server's environment: its database is outside the tree, it sends no error
// reports, and it logs only errors.
func (s *Server) environ() []string {
	out := slices.DeleteFunc(slices.Clone(s.Environ), func(kv string) bool { return strings.HasPrefix(kv, "SENTRY_DSN=") })
	return append(out, "KOTADB_PATH="+filepath.Join(s.Dir, "kota.db"), "LOG_LEVEL=error")
}

// Guard runs a server that must not outlive the process that uses it, and returns its exit code.
// KotaDB keeps running when its standard input ends, which is the only sign of a killed parent:
// Guard then kills it with its children.
func Guard(argv []string, in io.Reader) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	repo.OwnGroup(cmd)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	go func() {
		_, _ = io.Copy(stdin, in)
		cancel()
	}()
	_ = cmd.Wait()
	_ = cmd.Cancel() // a server that ended may have left children
	return cmd.ProcessState.ExitCode()
}

// tail keeps the last 2 KB that a server writes to its standard error.
type tail struct{ b []byte }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	t.b = slices.Clone(t.b[max(0, len(t.b)-2<<10):])
	return len(p), nil
}

// last returns the last line behind a colon, "" when there is none.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.b)), "\n")
	return strings.TrimSuffix(": "+fence.OneLine(lines[len(lines)-1], maxText), ": ")
}

// decode decodes an answer: JSON in a text, unless something went wrong.
func decode(res *sdk.CallToolResult, to any) error {
	var text string
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			text += t.Text
		}
	}
	var wrong struct{ Message, Error string }
	switch {
	case res.IsError || json.Unmarshal([]byte(text), &wrong) != nil:
		return errors.New(cmp.Or(text, "its answer is empty"))
	case wrong.Error != "" || strings.Contains(wrong.Message, "not found"):
		return errors.New(cmp.Or(wrong.Error, wrong.Message))
	}
	return json.Unmarshal([]byte(text), to)
}

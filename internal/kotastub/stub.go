// Package kotastub is a server that answers as KotaDB does, for tests: the same
// tools with the same arguments, JSON as text, errors as text, and on request what
// goes wrong with the real one. It knows imports of relative paths and exported
// names, which is enough to tell a right answer from a wrong one.
package kotastub

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Odd is the environment variable that says what goes wrong: words that begin with
// what, and may go on with a colon and the tool it goes wrong with.
//
//	slow         it takes 300 ms to start
//	mute         it never begins to serve
//	refuse       it ends at once, with a line on standard error
//	hang:TOOL    it never answers
//	die:TOOL     it ends instead of answering
//	once:TOOL    likewise, but only the first time
//	half:TOOL    it prints half of an answer, and no more
//	text:TOOL    it answers with text that is no JSON
//	error:TOOL   it answers with what MCP calls an error
//	locked:TOOL  it answers with an error of JSON-RPC
//	giant:TOOL   its answer holds 5 MB
//	logs         it prints logs between its answers
//	noise        it prints 100 KB to standard error
//	child        it starts a process that goes on
const Odd = "KOTASTUB_ODD"

// Log is the environment variable that names a file: a line is added to it for each
// process that starts, its number first, and for each question.
const Log = "KOTASTUB_LOG"

//go:embed tools.json
var tools []byte

// tool is one as KotaDB lists it.
type tool struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"inputSchema"`
}

// Main serves standard input and goes on when that ends, as KotaDB does.
func Main() {
	note("start %d", os.Getpid())
	if odd("refuse", "") {
		fmt.Fprintln(os.Stderr, "error: package \"kotadb\" not found")
		os.Exit(1)
	}
	if odd("child", "") {
		child := exec.Command("sleep", "600")
		if err := child.Start(); err == nil {
			note("start %d", child.Process.Pid)
		}
	}
	if odd("noise", "") {
		fmt.Fprint(os.Stderr, strings.Repeat(`{"level":"info","message":"indexed"}`+"\n", 3000)+"the last line\n")
	}
	if odd("slow", "") {
		time.Sleep(300 * time.Millisecond)
	}
	if odd("mute", "") {
		select {}
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "kotadb", Version: "2.0.0"}, nil)
	var list []tool
	if err := json.Unmarshal(tools, &list); err != nil {
		panic(err)
	}
	for _, t := range list {
		server.AddTool(&sdk.Tool{Name: t.Name, InputSchema: t.Schema}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return handle(t, r.Params.Arguments)
		})
	}
	_ = server.Run(context.Background(), &sdk.StdioTransport{})
	select {}
}

// odd reports whether something is to go wrong, with a tool unless that is "".
func odd(what, tool string) bool {
	if tool != "" {
		what += ":" + tool
	}
	return slices.Contains(strings.Fields(os.Getenv(Odd)), what)
}

// note adds a line to the log.
func note(format string, args ...any) {
	f, err := os.OpenFile(os.Getenv(Log), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	fmt.Fprintf(f, format+"\n", args...)
	_ = f.Close()
}

// handle answers a call.
func handle(t tool, args json.RawMessage) (*sdk.CallToolResult, error) {
	note("ask %s %s", t.Name, args)
	if odd("logs", "") {
		fmt.Println(`[info] a log where a message should be`)
	}
	switch {
	case odd("hang", t.Name):
		select {}
	case odd("die", t.Name), odd("once", t.Name) && asked(t.Name) == 1:
		fmt.Fprintln(os.Stderr, "panic: it died")
		os.Exit(3)
	case odd("half", t.Name):
		fmt.Println(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"te`)
		select {}
	case odd("text", t.Name):
		return text("Something went wrong\x1b[31m"), nil
	case odd("error", t.Name):
		r := text("it is broken")
		r.IsError = true
		return r, nil
	case odd("locked", t.Name):
		return nil, &jsonrpc.Error{Code: -32603, Message: "database is locked"}
	}
	if err := fits(t.Schema, args); err != nil {
		return nil, &jsonrpc.Error{Code: -32603, Message: err.Error()}
	}
	answer, err := answer(t.Name, args)
	if err != nil {
		return nil, &jsonrpc.Error{Code: -32603, Message: err.Error()}
	}
	if odd("giant", t.Name) {
		answer["padding"] = strings.Repeat("x", 5<<20)
	}
	b, err := json.MarshalIndent(answer, "", "  ")
	return text(string(b)), err
}

// asked is how often a tool was asked by now, over all processes.
func asked(name string) int {
	b, _ := os.ReadFile(os.Getenv(Log))
	return bytes.Count(b, []byte("ask "+name+" "))
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// schema is what of a schema is checked.
type schema struct {
	Type       string            `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []string          `json:"enum"`
	Items      *schema           `json:"items"`
}

// fits checks arguments: KotaDB ignores those it does not know, a test is not to.
func fits(raw, args json.RawMessage) error {
	var s schema
	var v any
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if err := json.Unmarshal(args, &v); err != nil {
		return err
	}
	return s.check("arguments", v)
}

func (s schema) check(name string, v any) error {
	kind := map[bool]string{true: s.Type}
	switch v := v.(type) {
	case map[string]any:
		kind[false] = "object"
		for _, r := range s.Required {
			if _, there := v[r]; !there {
				return fmt.Errorf("missing required parameter: %s", r)
			}
		}
		for k, x := range v {
			p, known := s.Properties[k]
			if !known {
				return fmt.Errorf("unknown parameter %s.%s", name, k)
			}
			if err := p.check(name+"."+k, x); err != nil {
				return err
			}
		}
	case []any:
		kind[false] = "array"
		for _, x := range v {
			if err := s.Items.check(name, x); err != nil {
				return err
			}
		}
	case string:
		kind[false] = "string"
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			return fmt.Errorf("parameter '%s' must be one of: %s", name, strings.Join(s.Enum, ", "))
		}
	case float64:
		kind[false] = "number"
	case bool:
		kind[false] = "boolean"
	}
	if kind[true] != kind[false] {
		return fmt.Errorf("parameter '%s' must be a %s", name, s.Type)
	}
	return nil
}

// databasePath is where the database is: in the repository, which gets a .gitignore,
// unless something else is said.
func databasePath() string {
	if p := os.Getenv("KOTADB_PATH"); p != "" {
		return p
	}
	f, err := os.OpenFile(".gitignore", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = f.WriteString("# KotaDB local storage\n.kotadb/\n")
		_ = f.Close()
	}
	return filepath.Join(".kotadb", "kota.db")
}

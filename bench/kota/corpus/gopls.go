//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// gopls is a running gopls language server.
type gopls struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *textproto.Reader
	root string
	last int
}

// startGopls starts gopls in a directory.
func startGopls(dir string) (*gopls, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	g := &gopls{cmd: exec.Command("gopls"), root: root}
	g.cmd.Dir = root
	if g.in, err = g.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	g.out = textproto.NewReader(bufio.NewReader(out))
	if err := g.cmd.Start(); err != nil {
		return nil, err
	}
	folder := map[string]any{"uri": g.uri(""), "name": "repository"}
	params := map[string]any{"processId": nil, "rootUri": g.uri(""), "workspaceFolders": []any{folder}, "capabilities": map[string]any{}}
	if err := g.call("initialize", params, nil); err != nil {
		g.stop()
		return nil, err
	}
	return g, g.send(map[string]any{"jsonrpc": "2.0", "method": "initialized", "params": map[string]any{}})
}

func (g *gopls) uri(file string) string {
	u := url.URL{Scheme: "file", Path: filepath.Join(g.root, file)}
	return u.String()
}

func (g *gopls) stop() {
	_ = g.in.Close()
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
}

func (g *gopls) send(message any) error {
	b, err := json.Marshal(message)
	if err == nil {
		_, err = fmt.Fprintf(g.in, "Content-Length: %d\r\n\r\n%s", len(b), b)
	}
	return err
}

// call sends a request and waits for its result. Requests from gopls get empty results meanwhile.
func (g *gopls) call(method string, params, result any) error {
	g.last++
	if err := g.send(map[string]any{"jsonrpc": "2.0", "id": g.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		header, err := g.out.ReadMIMEHeader()
		if err != nil {
			return fmt.Errorf("read from gopls: %w", err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return fmt.Errorf("read from gopls: %w", err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(g.out.R, body); err != nil {
			return fmt.Errorf("read from gopls: %w", err)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(body, &m); err != nil {
			return fmt.Errorf("read from gopls: %w", err)
		}
		switch {
		case m.Method != "" && len(m.ID) > 0:
			if err := g.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil}); err != nil {
				return err
			}
		case m.Method == "" && m.Error != nil:
			return fmt.Errorf("ask gopls: %s", m.Error.Message)
		case m.Method == "" && result != nil:
			return json.Unmarshal(m.Result, result)
		case m.Method == "":
			return nil
		}
	}
}

// references returns the lines that use a name, as file:line.
func (g *gopls) references(n goName) (map[string]bool, error) {
	var list []struct {
		URI   string
		Range struct{ Start struct{ Line int } }
	}
	err := g.call("textDocument/references", map[string]any{
		"textDocument": map[string]any{"uri": g.uri(n.file)},
		"position":     map[string]any{"line": n.line - 1, "character": n.column - 1},
		"context":      map[string]any{"includeDeclaration": false},
	}, &list)
	out := make(map[string]bool)
	for _, x := range list {
		if file, ok := strings.CutPrefix(x.URI, g.uri("")+"/"); ok {
			out[fmt.Sprintf("%s:%d", file, x.Range.Start.Line+1)] = true
		}
	}
	return out, err
}

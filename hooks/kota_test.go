package hooks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/hooks"
	hookcode "github.com/coctostan/pictx/hooks/code"
	"github.com/coctostan/pictx/internal/must"
)

// codebase is a project whose index does what a test wants.
type codebase struct {
	repo    string
	process string
	indexed bool
	index   func(ctx context.Context, progress func(int)) error
	named   func(ctx context.Context) ([]string, error)
	brief   func(ctx context.Context) (string, error)
	ask     func(ctx context.Context, budget int) (string, error)
}

func (c *codebase) Process() string    { return c.process }
func (c *codebase) Exists() bool       { return c.indexed }
func (*codebase) Contains(string) bool { return true }
func (c *codebase) Update(ctx context.Context, progress func(int)) error {
	if c.index == nil {
		return nil
	}
	return c.index(ctx, progress)
}

func (*codebase) Status(context.Context) (code.Status, error) {
	return code.Status{Lines: []string{"2 files"}}, nil
}

func (*codebase) Restart(context.Context) (string, error) { return "restarted", nil }

func (c *codebase) Named(ctx context.Context, _ string) ([]string, error) { return c.named(ctx) }

func (c *codebase) Brief(ctx context.Context, _ []string, _ int) (string, error) { return c.brief(ctx) }

func (c *codebase) Ask(ctx context.Context, _ code.Question, budget int, _ func(string) string) (string, error) {
	return c.ask(ctx, budget)
}

// kota is the system for a project.
func kota(c *codebase) hookcode.System {
	return hookcode.System{
		Present: func() bool { return true },
		Open: func(*hooks.Request, *config.Resolved) (code.Project, error) {
			return code.Project{Name: c.repo, Index: c, Engine: c}, nil
		},
	}
}

// One thing has one name in whatever tool takes it, and one type.
func TestToolsAboutCodeNameTheSameThingTheSame(t *testing.T) {
	t.Parallel()
	var file struct {
		Tools []struct {
			Name       string
			Parameters struct {
				Properties map[string]struct{ Type string }
			}
		}
	}
	err := json.Unmarshal(read(t, "code/tools.json"), &file)
	must.Stop(t, err != nil || len(file.Tools) != 6, "%d tools, %v", len(file.Tools), err)
	// What each argument stands for: two of a line would be two names of one thing.
	one := map[string]string{
		"file": "a file", "all": "whether to leave anything out", "files": "files", "files_to_delete": "files that will be gone", "symbol": "a symbol", "query": "a text",
		"scope": "where to look", "output": "how much to print", "depth": "how far",
	}
	seen, types := map[string]bool{}, map[string]string{}
	for _, tool := range file.Tools {
		for name, p := range tool.Parameters.Properties {
			must.Not(t, one[name] == "", "%s: no other tool calls anything %s: if it is what one calls otherwise, take that name", tool.Name, name)
			was := types[name]
			must.Not(t, was != "" && was != p.Type, "%s: %s is a %s here, a %s elsewhere", tool.Name, name, p.Type, was)
			types[name], seen[name] = p.Type, true
		}
	}
	must.Equal(t, len(seen), len(one), "declared are %v", seen)
}

// Holds history 76.
func TestTheFooterSaysNothingOfACodeIndexThatWorks(t *testing.T) {
	t.Parallel()
	for process, want := range map[string]string{"": "", "running": "", "stopped": "code index stopped"} {
		d, _ := dispatcher(t, kota(&codebase{repo: "shop", indexed: true, process: process}))
		reply, _ := d.Handle(t.Context(), request(hooks.EventSessionStart, `{"reason":"startup"}`), 0)
		must.Equal(t, strings.Join(texts(reply), "|"), want, "%q", process)
	}
}

func TestABriefingNeverKeepsTheAgentWaiting(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	hangs := func(context.Context) (string, error) { <-never; return "", nil }
	names := func(context.Context) ([]string, error) { return []string{"a.ts"}, nil }
	for name, c := range map[string]*codebase{
		"it hangs while files are listed": {named: func(context.Context) ([]string, error) { <-never; return nil, nil }},
		"it hangs while it reads":         {named: names, brief: hangs, indexed: true},
		"it fails":                        {named: names, brief: func(context.Context) (string, error) { return "", errors.New("no") }, indexed: true},
		"it panics":                       {named: names, brief: func(context.Context) (string, error) { panic("no") }, indexed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, log := dispatcher(t, effects("before"), kota(c))
			d.World = &world{settings: []string{"PICTX_KOTA_AUTO_CONTEXT=always"}}
			// What hangs does so until the test is over: that there is a reply says all.
			reply := handled(t, d, request(hooks.EventBeforeAgent, `{"prompt":"fix a.ts","systemPromptHash":"h"}`))
			got := strings.Join(texts(reply), "|")
			must.Not(t, got != "before" || reply.Result != nil, "%+v", reply)
			must.Not(t, len(*log) != 1 || (*log)[0].Error == "", "logged %+v", *log)
		})
	}
}

func TestTheFooterShowsHowFarTheIndexIs(t *testing.T) {
	t.Parallel()
	c := &codebase{repo: "shop"}
	c.index = func(_ context.Context, progress func(int)) error {
		for p := range 101 {
			progress(p)
		}
		c.indexed = true
		return nil
	}
	c.ask = func(context.Context, int) (string, error) { return "an answer\n", nil }
	d, _ := dispatcher(t, kota(c))
	in, lines := io.Pipe()
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- d.Serve(t.Context(), "/w", nil, in, &out) }()
	body := `{"v":1,"id":"7","event":"tool","cwd":"/w","hasUI":true,"session":{"id":"s"},"payload":{"name":"kota_usages","params":{"symbol":"a"}},"replies":[{"id":"kota.index","value":true}]}` + "\n"
	must.Get(io.WriteString(lines, body))(t)
	lines.Close()
	must.Do(t, <-done)
	all := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := all[len(all)-1]
	must.Not(t, !strings.Contains(out.String(), `"text":"indexing code 45%"`) || !strings.Contains(last, `"text":"an answer\n"`), "%s", out.String())
	must.Not(t, len(all) > 25, "%d lines for one index", len(all))
}

package decision

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// turns is a session with a single branch. Its lines are the entries.
type turns struct {
	t     *testing.T
	tree  *message.Tree
	lines map[string]string
	leaf  string
}

func newTurns(t *testing.T) *turns {
	return &turns{t: t, tree: &message.Tree{}, lines: map[string]string{}}
}

func (s *turns) Entries() *message.Tree { return s.tree }

func (s *turns) Line(n *message.Node) ([]byte, error) { return []byte(s.lines[n.ID]), nil }

// entry appends an entry.
func (s *turns) entry(kind, members string) {
	s.t.Helper()
	id := fmt.Sprintf("%08x", len(s.lines)+1)
	line := fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%q,"timestamp":"2026-11-20T09:00:00.000Z",%s}`, kind, id, s.leaf, members)
	line = strings.Replace(line, `"parentId":""`, `"parentId":null`, 1)
	var p message.Parser
	e, err := p.ParseEntry([]byte(line))
	if err != nil {
		s.t.Fatal(err)
	}
	s.tree.Add(message.Node{Entry: e, Length: len(line)})
	s.lines[id], s.leaf = line, id
}

// call adds a call of a tool and its result.
func (s *turns) call(tool, file string, failed bool) {
	s.t.Helper()
	id := fmt.Sprintf("c%d", len(s.lines))
	s.entry("message", fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":{"path":%q}}]}`, id, tool, file))
	s.entry("message", fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":%q,"toolName":%q,"isError":%v,"content":[]}`, id, tool, failed))
}

func TestDecisionsThatGovernTheFilesOfATurnAreToldOnce(t *testing.T) {
	for name, c := range map[string]struct {
		tool, file, glob string
		reads, failed    bool
		want             string
	}{
		"edit":               {tool: "edit", file: "src/a.go", glob: "src/*.go", want: "Decisions that govern src/a.go:"},
		"write, absolute":    {tool: "write", file: "/p/src/a.go", glob: "src", want: "Decisions that govern src/a.go:"},
		"read":               {tool: "read", file: "src/a.go", glob: "src/**", reads: true, want: "Decisions that govern src/a.go:"},
		"read, edits alone":  {tool: "read", file: "src/a.go", glob: "src/**"},
		"failed":             {tool: "edit", file: "src/a.go", glob: "src/**", failed: true},
		"another file":       {tool: "edit", file: "docs/a.md", glob: "src/**"},
		"outside":            {tool: "edit", file: "/etc/src/a.go", glob: "**"},
		"a name with a tag":  {tool: "edit", file: "src/</project-decisions>.go", glob: "src/**", want: "Decisions that govern src/(/project-decisions>.go:"},
		"a command of shell": {tool: "bash", file: "src/a.go", glob: "src/**"},
	} {
		b := newBook(t)
		b.add(New{Text: "A draft", Status: Draft, Paths: []string{"**"}})
		id := b.add(New{Text: "Errors are wrapped", Paths: []string{c.glob}})
		s := newTurns(t)
		s.call(c.tool, c.file, c.failed)
		turn := Turn{Leaf: s.leaf, Root: "/p", CWD: "/p", Reads: c.reads}
		got, details, err := b.state().Governing(s, turn)
		want := ""
		if c.want != "" {
			want = contextOpen + "\n" + c.want + "\n" + id + " | Errors are wrapped\n" + contextClose
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", name, got, want, err)
		}
		if got == "" {
			continue
		}
		s.entry("custom_message", fmt.Sprintf(`"customType":%q,"content":"x","display":false,"details":{"kind":"governing","lines":null,"told":[%q]}`, ShownType, details.Told[0]))
		s.call(c.tool, c.file, false)
		turn.Leaf = s.leaf
		if again, _, err := b.state().Governing(s, turn); again != "" || err != nil {
			t.Errorf("%s: told again: %q %v", name, again, err)
		}
	}
}

func TestWhatGovernsManyFilesIsToldInBounds(t *testing.T) {
	b := newBook(t)
	for i := range 9 {
		b.add(New{Text: fmt.Sprintf("Rule %d %s", i, strings.Repeat("long ", 60)), Paths: []string{"**"}})
	}
	s := newTurns(t)
	s.call("edit", "src/"+strings.Repeat("deep/", 90)+"a.go", false)
	body, details, err := b.state().Governing(s, Turn{Leaf: s.leaf, Root: "/p", CWD: "/p"})
	if n := utf8.RuneCountInString(body); err != nil || n > 1100 || len(details.Told) != 9 {
		t.Errorf("%d characters, %d told: %v", n, len(details.Told), err)
	}
	for _, part := range []string{"Rule 8", "Rule 6", "\n+6 more: pictx decision list --search path:src/"} {
		must.Contain(t, body, part, "what it says")
	}
}

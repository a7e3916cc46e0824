package commands_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	commandhistory "github.com/coctostan/pictx/commands/history"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/world"
)

// diary is a source of sessions of an agent that does not exist. It is as unlike pi as it
// can be: it keeps all sessions in one file, mixed, in a format of its own, and has no ids.
// A place is the path of that file with the id of a session after a "#". The script
// another_agent.txtar runs the commands on it.
//
// A line is the id of a session, a word and a text, between tabs:
//
//	begins  the directory and the time
//	asks    what the user says
//	says    what the model says
//	runs    a command that the model runs
//	prints  what that printed, the lines of it between "\n"
type diary struct{ file string }

var _ history.Source = diary{}

func (d diary) Find(dir string) ([]string, error) {
	file := d.file
	if dir != "" {
		file = filepath.Join(dir, filepath.Base(d.file))
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var places []string
	for line := range strings.Lines(string(text)) {
		if id, rest, _ := strings.Cut(line, "\t"); strings.HasPrefix(rest, "begins\t") {
			places = append(places, file+"#"+id)
		}
	}
	return places, err
}

func (d diary) Head(place string) (message.Header, error) {
	s, err := d.Open(place)
	if err != nil {
		return message.Header{}, err
	}
	return s.Entries().Header, nil
}

func (diary) Read(place string) history.File { return page(place) }

func (diary) Bytes(place string) (io.ReadCloser, error) {
	text, err := page(place).text()
	return io.NopCloser(bytes.NewReader(text)), err
}

func (diary) Open(place string) (history.Session, error) {
	s := &pageSession{page: page(place), tree: &message.Tree{}}
	err := s.Refresh()
	if err == nil && len(s.tree.Nodes) == 0 {
		err = history.ErrNoSession
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// page is one session of a diary.
type page string

// text is the session as entries, a line each.
func (p page) text() ([]byte, error) {
	file, id, ok := strings.Cut(string(p), ".diary#")
	if !ok {
		return nil, errors.New("open session: it is not in a diary")
	}
	text, err := os.ReadFile(file + ".diary")
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	w := &diaryWriter{id: id, parent: "null"}
	for line := range strings.Lines(string(text)) {
		if of, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); of == id {
			w.add(strings.Cut(rest, "\t"))
		}
	}
	return w.text, nil
}

func (p page) Info() (history.FileInfo, error) {
	text, err := p.text()
	return history.FileInfo{Path: string(p), Size: int64(len(text))}, err
}

func (p page) Before(at message.Position) ([]byte, error) {
	text, err := p.text()
	return text[:min(at.Offset, int64(len(text)))], err
}

func (p page) Open(from message.Position) (history.Lines, error) {
	text, err := p.text()
	return &diaryLines{text: text, at: from}, err
}

// diaryWriter makes entries of the lines of a diary.
type diaryWriter struct {
	id, parent string
	lines      int
	at         time.Time
	text       []byte
}

func (w *diaryWriter) add(word, text string, _ bool) {
	if word == "begins" {
		dir, at, _ := strings.Cut(text, " ")
		w.at, _ = time.Parse(time.RFC3339, at)
		w.text = fmt.Appendf(w.text, `{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q}`+"\n", w.id, at, dir)
		return
	}
	w.lines++
	id := fmt.Sprintf("%s%04d", strings.TrimPrefix(w.id, "diary-"), w.lines)
	at := w.at.Add(time.Duration(w.lines) * time.Minute)
	forms := map[string]string{
		"asks":   `"role":"user","content":%s`,
		"says":   `"role":"assistant","content":[{"type":"text","text":%s}]`,
		"runs":   `"role":"assistant","content":[{"type":"toolCall","id":"` + id + `","name":"bash","arguments":{"command":%s}}]`,
		"prints": `"role":"toolResult","toolCallId":` + w.parent + `,"toolName":"bash","content":[{"type":"text","text":%s}]`,
	}
	body := fmt.Sprintf(forms[word], message.AppendQuote(nil, strings.ReplaceAll(text, `\n`, "\n")))
	w.text = fmt.Appendf(w.text, `{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{%s,"timestamp":%d}}`+"\n",
		id, w.parent, at.Format(time.RFC3339), body, at.UnixMilli())
	w.parent = `"` + id + `"`
}

// diaryLines reads the entries of a session.
type diaryLines struct {
	text   []byte
	at     message.Position
	parser message.Parser
}

func (l *diaryLines) Close() error { return nil }

func (l *diaryLines) Position() message.Position { return l.at }

func (l *diaryLines) Next() (message.Line, error) {
	raw, _, found := bytes.Cut(l.text[l.at.Offset:], []byte("\n"))
	if !found {
		return message.Line{}, io.EOF
	}
	line := message.Line{Raw: raw, Offset: l.at.Offset, Number: l.at.Lines + 1, Ordinal: l.at.Entries}
	line.Entry, line.Err = l.parser.ParseEntry(raw)
	l.at.Offset += int64(len(raw)) + 1
	l.at.Lines++
	l.at.Entries++
	return line, nil
}

// pageSession is an open session of a diary.
type pageSession struct {
	page
	tree *message.Tree
	text []byte
	at   message.Position
}

func (s *pageSession) Entries() *message.Tree { return s.tree }

func (s *pageSession) Line(n *message.Node) ([]byte, error) {
	return s.text[n.Offset : int(n.Offset)+n.Length], nil
}

func (s *pageSession) Problems() []history.Problem { return nil }

func (s *pageSession) Close() error { return nil }

func (s *pageSession) Refresh() error {
	text, err := s.page.text()
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(text, s.text) {
		return history.ErrReplaced
	}
	s.text = text
	lines := &diaryLines{text: text, at: s.at}
	for {
		l, err := lines.Next()
		if errors.Is(err, io.EOF) {
			s.at = lines.Position()
			return nil
		}
		s.tree.Add(message.Node{Entry: l.Entry, Offset: l.Offset, Length: len(l.Raw), Line: l.Number})
	}
}

func TestASessionThatBeginsReadsThoseOfOtherAgents(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "agent.diary")
	text := "diary-one\tbegins\t" + home + " 2026-03-02T09:00:00Z\ndiary-one\tasks\tWhere is the okapi?\n" +
		"diary-two\tbegins\t/elsewhere 2026-03-02T09:00:00Z\ndiary-two\tasks\tWhere is the quagga?\n"
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	a := cli.NewRun(&cli.Env{Err: io.Discard, Process: workspace.Process{
		Dir: home, Now: time.Now, Environ: []string{"HOME=" + home}, Sources: []history.Source{diary{file}},
	}})
	w := world.New(a.Workspace)
	defer w.Close()
	r := must.Get(hooks.Parse([]byte(`{"v":1,"id":"1","event":"session_start","cwd":"` + home + `","session":{"id":"s","file":"` + home + `/s.jsonl"},"payload":{}}`)))(t)
	_, after := w.Dispatcher(world.Serving, a.Env.HookDeadline, commandhistory.HookExport).Handle(t.Context(), r, 0)
	after(t.Context(), func(...hooks.Effect) {})
	st, _, err := a.Store(t.Context(), sqlite.Read)
	must.Do(t, err)
	defer st.Close()
	rows, err := st.Entries.Sessions(t.Context())
	must.Not(t, err != nil || len(rows) != 1 || rows[0].ID != "diary-one" || rows[0].File != file+"#diary-one", "the store holds %+v, %v", rows, err)
}

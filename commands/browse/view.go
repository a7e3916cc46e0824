package browse

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/core/text"
)

// listRows is the number of rows that fit the list. Each takes two lines.
func (s *model) listRows() int { return max(1, (s.height-4)/2) }

// pageRows is the number of lines that fit a page.
func (s *model) pageRows() int { return max(1, s.height-2) }

// View implements tea.Model.
func (s *model) View() tea.View {
	var lines []string
	keys := "↑↓ choose · enter read · ctrl+y copy id · esc quit"
	if s.page != nil {
		lines, keys = s.pageLines(), "↑↓ scroll · n p next, previous · e unfold · c copy id · esc back"
	} else {
		if s.input.Value() != "" {
			keys = "↑↓ choose · enter read · ctrl+y copy id · esc clear"
		}
		lines = s.listLines()
	}
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	footer := keys
	if s.message != "" {
		footer = s.message
	}
	lines = append(lines[:s.height-1], faint().Render(s.fit(footer)))
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.WindowTitle = "pictx browse"
	return v
}

func bold() lipgloss.Style   { return lipgloss.NewStyle().Bold(true) }
func faint() lipgloss.Style  { return lipgloss.NewStyle().Faint(true) }
func chosen() lipgloss.Style { return lipgloss.NewStyle().Reverse(true) }

// fit cuts a line at the width of the screen.
func (s *model) fit(line string) string { return ansi.Truncate(line, s.width, text.Ellipsis) }

func (s *model) listLines() []string {
	lines := []string{s.input.View(), faint().Render(s.fit(s.status())), ""}
	for i := s.first; i < min(len(s.rows), s.first+s.listRows()); i++ {
		r := s.rows[i]
		head, detail := s.fit("  "+r.Head), s.fit("    "+r.Text)
		if i == s.chosen {
			head = chosen().Render(s.fit("> " + r.Head))
		} else {
			head = bold().Render(head)
		}
		lines = append(lines, head, detail)
	}
	return lines
}

// status describes what the list shows.
func (s *model) status() string {
	switch words := strings.TrimSpace(s.input.Value()); {
	case s.asked != s.searched:
		return "searching " + text.Ellipsis
	case words == "":
		return text.Count(len(s.rows), "session") + ", latest first"
	case len(s.rows) == 0:
		return text.JoinNonEmpty(" · ", "no matching entries", s.note)
	default:
		return text.JoinNonEmpty(" · ", text.Count(len(s.rows), "entry")+", best first", s.note)
	}
}

// marked highlights the match in a line.
func (p *page) marked(l line) string {
	start, end := p.found(l)
	if start < 0 {
		return l.text
	}
	return l.text[:start] + chosen().Render(l.text[start:end]) + l.text[end:]
}

func (s *model) pageLines() []string {
	p := s.page
	var lines []string
	for _, l := range p.lines[p.top:min(len(p.lines), p.top+s.pageRows())] {
		switch {
		case l.head && l.block == p.selected:
			lines = append(lines, chosen().Render(l.text))
		case l.head:
			lines = append(lines, bold().Render(l.text))
		default:
			lines = append(lines, p.marked(l))
		}
	}
	for len(lines) < s.pageRows() {
		lines = append(lines, "")
	}
	b := p.blocks[p.selected]
	at := fmt.Sprintf("%s · %d of %d", b.ID, p.selected+1, len(p.blocks))
	return append(lines, faint().Render(s.fit(at)))
}

// library provides the sessions that a model shows. Its methods may be called concurrently.
// A context ends when its result is no longer wanted. The returned texts are safe for a
// terminal.
type library interface {
	// Sessions returns some sessions from the i-th on, latest first, and none at the end.
	Sessions(ctx context.Context, i int) ([]row, error)
	// Search returns the entries that match words, the best first. note says in a few words
	// how they match if not as typed, and what else of the search they do not show.
	Search(ctx context.Context, words string) (rows []row, note string, err error)
	// Open returns the conversation of a row.
	Open(ctx context.Context, r row) ([]block, error)
}

// row is a row of the list: a session, or an entry that matches a search.
type row struct {
	Session string // for library.Open
	Entry   string // "" for a session
	Match   string // the text in the entry that matched
	Head    string // its time and subject
	Text    string // the match, or a description of the session
}

// block is a part of a conversation: a prompt, a response, or a tool call with its result.
type block struct {
	ID    string // entry id, as pictx expand takes it
	Call  string // id of the entry with the call of this result, "" for none
	Head  string // time, author and subject, on one line
	Text  string // without tabs
	Folds bool   // only the first lines are shown until it is unfolded
}

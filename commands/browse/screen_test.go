package browse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/internal/must"
)

// shelf is a library of three sessions.
type shelf struct {
	searched []string
	fails    error
}

func (l *shelf) Sessions(_ context.Context, i int) ([]row, error) {
	all := []row{{Session: "s1", Head: "Checkout", Text: "3 requests"}, {Session: "s2", Head: "Ünïcödé 界世界", Text: "1 request"}, {Session: "s3", Head: "Refunds"}}
	return all[min(i, 3):min(i+2, 3)], l.fails
}

func (l *shelf) Search(_ context.Context, words string) ([]row, string, error) {
	l.searched = append(l.searched, words)
	switch words {
	case "nothing":
		return nil, "", l.fails
	case "hay fork":
		return []row{{Session: "s1", Entry: "e7", Text: "a needle in hay"}}, "none has all the words", l.fails
	}
	return []row{{Session: "s1", Entry: "e7", Match: "needle", Head: "assistant", Text: "a needle in hay"}, {Session: "s3", Entry: "e2", Head: "you"}}, "", l.fails
}

func (l *shelf) Open(_ context.Context, r row) ([]block, error) {
	if r.Session == "s3" {
		return nil, errors.New("read session s3: the file is gone")
	}
	var out []block
	for i := range 9 {
		out = append(out, block{ID: fmt.Sprintf("e%d", i), Head: fmt.Sprintf("message %d", i), Text: strings.TrimSpace(strings.Repeat(fmt.Sprintf("line of %d\n", i), 8)), Folds: i%2 == 1})
	}
	out[7].Text = strings.Repeat("hay\n", 40) + "the Needle"
	return out, l.fails
}

// drive sends keys to a screen and runs the resulting commands. Single letters are typed.
func drive(t *testing.T, s *model, keys ...string) {
	t.Helper()
	obey(t, s, s.Init())
	for _, k := range keys {
		_, cmd := s.Update(press(k))
		obey(t, s, cmd)
	}
}

func press(key string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "pgdown": tea.KeyPgDown, "end": tea.KeyEnd}
	if code, ok := codes[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

func obey(t *testing.T, s *model, cmd tea.Cmd) {
	t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			obey(t, s, c)
		}
	case found, opened, pause:
		_, next := s.Update(msg)
		obey(t, s, next)
	}
}

func shown(s *model) string { return ansi.Strip(s.View().Content) }

func typed(words string) []string { return strings.Split(words, "") }

func TestTheScreenBeginsWithAllSessionsAndSearchesAsOneTypes(t *testing.T) {
	t.Parallel()
	lib := &shelf{}
	s := newModel(t.Context(), lib, nil)
	drive(t, s)
	if got := shown(s); !strings.Contains(got, "3 sessions, latest first") || !strings.Contains(got, "> Checkout") || !strings.Contains(got, "Refunds") {
		t.Errorf("at first:\n%s", got)
	}
	drive(t, s, typed("hay")...)
	if got := shown(s); !strings.Contains(got, "2 entries, best first") || !strings.Contains(got, "a needle in hay") {
		t.Errorf("after typing:\n%s", got)
	}
	last := lib.searched[len(lib.searched)-1]
	must.Not(t, last != "hay", "searched for %q", lib.searched)
	drive(t, s, "esc")
	must.Contain(t, shown(s), "3 sessions", "after esc")
}

func TestTheScreenSaysWhenRowsDoNotMatchAllThatWasTyped(t *testing.T) {
	t.Parallel()
	s := newModel(t.Context(), &shelf{}, []string{"hay", "fork"})
	drive(t, s)
	must.Contain(t, shown(s), "1 entry, best first · none has all the words", "some words do not match")
	drive(t, s, "esc", "h", "a", "y")
	got := shown(s)
	must.Not(t, strings.Contains(got, "none has") || !strings.Contains(got, "2 entries, best first"), "the next search still says so:\n%s", got)
}

func TestEnterOpensTheConversationWhereTheMatchIs(t *testing.T) {
	t.Parallel()
	s := newModel(t.Context(), &shelf{}, []string{"needle"})
	drive(t, s, "enter")
	got := shown(s)
	must.Not(t, !strings.Contains(got, "the Needle") || !strings.Contains(got, "e7 · 8 of 9"), "the match is not on the screen:\n%s", got)
	must.Contain(t, s.View().Content, "\x1b[7mNeedle", "the match does not stand out")
	drive(t, s, "esc")
	must.Contain(t, shown(s), "2 entries", "esc does not go back to the list")
}

func TestEnterWaitsForASearchThatIsUnderWay(t *testing.T) {
	t.Parallel()
	s := newModel(t.Context(), &shelf{}, nil)
	drive(t, s)
	for _, k := range typed("hay") {
		s.Update(press(k)) // its search has not started yet
	}
	_, cmd := s.Update(press("enter"))
	obey(t, s, cmd)
	must.Not(t, s.page == nil || !strings.Contains(shown(s), "e7 ·"), "the first match is not open:\n%s", shown(s))
}

func TestASearchThatWasOvertakenShowsNothing(t *testing.T) {
	t.Parallel()
	s := newModel(t.Context(), &shelf{}, nil)
	drive(t, s)
	s.Update(found{asked: s.asked - 1, rows: []row{{Entry: "old", Head: "stale"}}})
	must.Not(t, strings.Contains(shown(s), "stale"), "rows of an earlier search are shown")
}

func TestALongOutputIsFoldedUntilItIsUnfolded(t *testing.T) {
	t.Parallel()
	s := newModel(t.Context(), &shelf{}, []string{"needle"})
	drive(t, s, "enter", "p", "p")
	if got := shown(s); !strings.Contains(got, "e5 · 6 of 9") || !strings.Contains(got, "… 4 more lines: press e") {
		t.Fatalf("before e:\n%s", got)
	}
	s.page.step(0, s.pageRows())
	drive(t, s, "e")
	if got := strings.Count(shown(s), "line of 5"); got != 8 {
		t.Errorf("%d lines of the output after e, want 8:\n%s", got, shown(s))
	}
	_, cmd := s.Update(press("c"))
	if got := shown(s); cmd == nil || !strings.Contains(got, "copied e5") {
		t.Errorf("c copies nothing:\n%s", got)
	}
}

// Every folded output on the screen says "press e", whichever message is selected.
func TestUnfoldingFromAShortMessageTakesTheNextFoldedOutputOnTheScreen(t *testing.T) {
	s := newModel(t.Context(), &shelf{}, nil)
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 30})
	drive(t, s, "enter", "g")
	p := s.page
	for p.selected != 2 { // not folded
		s.Update(press("p"))
	}
	s.Update(press("e"))
	must.Not(t, p.selected != 3 || !p.unfolded[3], "after e on message 2: message %d is selected, unfolded are %v", p.selected, p.unfolded)
	s.Update(press("p"))
	s.Update(press("e"))
	must.Not(t, p.selected != 1 || !p.unfolded[1], "after e where all that follows is unfolded: message %d is selected, unfolded are %v", p.selected, p.unfolded)
}

func TestAFailureIsShownAndTheListStays(t *testing.T) {
	t.Parallel()
	lib := &shelf{}
	s := newModel(t.Context(), lib, []string{"needle"})
	drive(t, s, "down", "enter")
	got := shown(s)
	must.Not(t, !strings.Contains(got, "the file is gone") || !strings.Contains(got, "2 entries"), "a session that cannot be opened:\n%s", got)
	lib.fails = errors.New("search history: the store is damaged")
	drive(t, s, "x")
	must.Contain(t, shown(s), "the store is damaged", "a search that fails")
	lib.fails = nil
	s = newModel(t.Context(), lib, []string{"nothing"})
	drive(t, s, "enter", "down", "ctrl+y")
	must.Contain(t, shown(s), "no matching entries", "without a Match")
}

func TestEveryScreenFillsTheTerminalAndNoMore(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {20, 6}, {33, 9}, {200, 60}} {
		s := newModel(t.Context(), &shelf{}, nil)
		s.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		check := func(where string) {
			t.Helper()
			lines := strings.Split(s.View().Content, "\n")
			must.Not(t, len(lines) != size[1], "%s at %v: %d lines", where, size, len(lines))
			for _, l := range lines {
				w := ansi.StringWidth(l)
				must.Not(t, w > size[0], "%s at %v: %d columns: %q", where, size, w, l)
			}
		}
		drive(t, s)
		check("the sessions")
		drive(t, s, typed("needle")...)
		check("what was found")
		drive(t, s, "enter")
		check("a page")
		drive(t, s, "end", "pgdown", "g", "n", "e")
		check("a page that was moved")
	}
}

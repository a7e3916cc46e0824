package browse

import (
	"cmp"
	"context"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/coctostan/pictx/core/text"
)

// model is the state of the screen: a list that a search narrows and, on top of it, a page
// to read.
type model struct {
	ctx           context.Context // of the program; ends every search
	library       library
	input         textinput.Model
	width, height int

	rows     []row
	note     string // how the rows match the search
	chosen   int
	first    int  // the first row on the screen
	asked    int  // number of the latest search, the only one that counts
	searched int  // number of the search whose rows are shown
	opening  bool // open the first row as soon as it arrives
	cancel   context.CancelFunc

	page    *page // nil for the list
	message string
}

// The messages that the screen's own commands send to it.
type (
	pause struct{ asked int } // the user has stopped typing for a moment
	found struct {            // rows of a search, or of the list of sessions from the from-th on
		asked, from int
		listing     bool
		rows        []row
		note        string
		err         error
	}
	opened struct {
		row    row
		blocks []block
		err    error
	}
)

// New returns a model that starts with a search for words or, without words, with all
// sessions. Its searches end with ctx.
func newModel(ctx context.Context, lib library, words []string) *model {
	in := textinput.New()
	in.Prompt, in.Placeholder = "search: ", "type to search, or choose a session"
	styles := in.Styles()
	styles.Cursor.Blink = false // without blinking an idle screen is never redrawn
	in.SetStyles(styles)
	in.SetValue(strings.Join(words, " "))
	in.Focus()
	return &model{ctx: ctx, library: lib, input: in, cancel: func() {}, width: 80, height: 24}
}

// Init implements tea.Model.
func (s *model) Init() tea.Cmd { return s.search() }

// Update implements tea.Model.
func (s *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.resize(msg.Width, msg.Height)
		return s, nil
	case tea.KeyPressMsg:
		s.message = ""
		if msg.String() == "ctrl+c" {
			return s, tea.Quit
		}
		if s.page != nil {
			return s, s.read(msg.String())
		}
		return s, s.choose(msg)
	case pause:
		if msg.asked == s.asked {
			return s, s.search()
		}
	case found:
		return s, s.took(msg)
	case opened:
		s.open(msg)
	default:
		var cmd tea.Cmd
		s.input, cmd = s.input.Update(msg)
		return s, cmd
	}
	return s, nil
}

// choose handles a key in the list.
func (s *model) choose(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		if s.input.Value() == "" {
			return tea.Quit
		}
		s.input.Reset()
		return s.search()
	case "up", "ctrl+p":
		s.move(-1)
	case "down", "ctrl+n", "tab":
		s.move(1)
	case "pgup":
		s.move(-s.listRows())
	case "pgdown":
		s.move(s.listRows())
	case "ctrl+y":
		if s.chosen < len(s.rows) {
			// An entry is copied for pictx expand, a session for pictx export.
			return s.copy(cmp.Or(s.rows[s.chosen].Entry, s.rows[s.chosen].Session))
		}
	case "enter":
		if s.asked != s.searched {
			s.opening = true // the search for the typed words is still running
			return s.search()
		}
		return s.openChosen()
	default:
		before := s.input.Value()
		var cmd tea.Cmd
		s.input, cmd = s.input.Update(key)
		if s.input.Value() == before {
			return cmd
		}
		s.asked++
		asked := s.asked
		return tea.Batch(cmd, tea.Tick(120*time.Millisecond, func(time.Time) tea.Msg { return pause{asked} }))
	}
	return nil
}

// copy copies an id to the clipboard of the terminal.
func (s *model) copy(id string) tea.Cmd {
	s.message = "copied " + text.TerminalLine(id)
	return tea.SetClipboard(id)
}

func (s *model) move(by int) {
	s.chosen = max(0, min(s.chosen+by, len(s.rows)-1))
	s.first = max(min(s.first, s.chosen), s.chosen-s.listRows()+1)
}

// search starts a search for what is typed, or lists the sessions. It replaces the previous
// search.
func (s *model) search() tea.Cmd {
	s.cancel()
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(s.ctx)
	s.asked++
	asked, words, lib := s.asked, strings.TrimSpace(s.input.Value()), s.library
	if words == "" {
		return s.list(ctx, 0)
	}
	return func() tea.Msg {
		rows, note, err := lib.Search(ctx, words)
		return found{asked: asked, rows: rows, note: note, err: err}
	}
}

// list requests sessions from the i-th on.
func (s *model) list(ctx context.Context, i int) tea.Cmd {
	asked, lib := s.asked, s.library
	return func() tea.Msg {
		rows, err := lib.Sessions(ctx, i)
		return found{asked: asked, from: i, listing: true, rows: rows, err: err}
	}
}

// took shows the results of a search, or adds sessions to the list and requests more.
func (s *model) took(msg found) tea.Cmd {
	switch {
	case msg.asked != s.asked:
		return nil
	case msg.err != nil:
		s.searched, s.opening = s.asked, false
		s.message = text.TerminalLine(msg.err.Error())
		return nil
	}
	if msg.from == 0 {
		s.rows, s.chosen, s.first, s.searched, s.note = nil, 0, 0, s.asked, msg.note
	}
	s.rows = append(s.rows, msg.rows...)
	switch {
	case msg.listing && len(msg.rows) > 0:
		return s.list(s.ctx, len(s.rows))
	case !msg.listing && s.opening && len(s.rows) > 0:
		return s.openChosen()
	}
	s.opening = s.opening && msg.listing
	return nil
}

func (s *model) openChosen() tea.Cmd {
	s.opening = false
	if s.chosen >= len(s.rows) {
		return nil
	}
	r, ctx, lib := s.rows[s.chosen], s.ctx, s.library
	s.message = "reading " + text.Ellipsis
	return func() tea.Msg {
		blocks, err := lib.Open(ctx, r)
		return opened{r, blocks, err}
	}
}

// open shows a conversation.
func (s *model) open(msg opened) {
	s.message = ""
	switch {
	case msg.err != nil:
		s.message = text.TerminalLine(msg.err.Error())
	case len(msg.blocks) == 0:
		s.message = "this session has no messages"
	default:
		s.page = newPage(msg.blocks, msg.row, s.width)
		s.page.show(s.pageRows())
	}
}

// read handles a key on a page.
func (s *model) read(key string) tea.Cmd {
	p, height := s.page, s.pageRows()
	switch key {
	case "esc", "q", "backspace", "left":
		s.page = nil
	case "up", "k":
		p.scroll(-1, height)
	case "down", "j", "enter":
		p.scroll(1, height)
	case "pgup", "b":
		p.scroll(-height+1, height)
	case "pgdown", "space", "f":
		p.scroll(height-1, height)
	case "home", "g":
		p.scroll(-len(p.lines), height)
	case "end", "G":
		p.scroll(len(p.lines), height)
	case "n", "tab":
		p.step(1, height)
	case "p", "shift+tab":
		p.step(-1, height)
	case "e":
		p.unfold(s.width, height)
	case "c":
		return s.copy(p.blocks[p.selected].ID)
	}
	return nil
}

func (s *model) resize(width, height int) {
	s.width, s.height = max(width, 20), max(height, 6)
	s.input.SetWidth(s.width - len(s.input.Prompt) - 1)
	s.move(0)
	if s.page != nil {
		s.page.layOut(s.width)
		s.page.top = s.page.head(s.page.selected)
		s.page.scroll(0, s.pageRows())
	}
}

package replay

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/token"
)

// pools follows a session in the layout "pools". A prompt consists of a catalogue, which
// only grows, the chat with references, and the content of what is active.
type pools struct {
	lines  []piece // of the catalogue
	listed map[int32]bool
	files  map[string]int     // positions in lines
	reads  map[int32]fileRead // by the message of the result
	before []piece            // the previous prompt
}

// fileRead is what a tool result shows of a file. Two of the same length are taken to show
// the same.
type fileRead struct {
	path  string
	chars int
}

// piece is a part of a prompt that is sent whole or not at all.
type piece struct {
	kind    pieceKind
	message int32
	// size is its length in characters. That of a catalogue line changes with its text.
	size   int
	blocks int
}

type pieceKind uint8

const (
	pieceLine pieceKind = iota
	pieceFile
	pieceChat
	pieceReference
	pieceActive
)

func newPools() *pools {
	return &pools{listed: make(map[int32]bool), files: make(map[string]int), reads: make(map[int32]fileRead)}
}

// charsPerToken is pi's rule of thumb.
const charsPerToken = 4

// prompt returns p with the context laid out.
func (l *pools) prompt(s *run, p token.Prompt, cal *Calibration) token.Prompt {
	l.list(s)
	pieces := slices.Clone(l.lines)
	var active []piece
	for _, m := range s.ctx {
		h := s.rec.head(m)
		if h.Role != message.RoleToolResult || policy.Manages(h.ToolName) {
			tokens, blocks := s.rec.messages[m].tokens, s.rec.messages[m].blocks
			if a := s.agent.deactivationOf(m); a != nil {
				tokens, blocks = a.tokens, a.blocks
			}
			pieces = append(pieces, piece{pieceChat, m, charsPerToken * int(tokens), blocks})
			continue
		}
		id := pool.ID("", s.original(m))
		pieces = append(pieces, piece{pieceReference, m, len(pool.Reference(id, h)), 1})
		if s.state[m] == nil && !s.rec.messages[m].marked {
			size := len(pool.ActiveHead(id)) + 1 + charsPerToken*int(s.rec.messages[m].tokens)
			active = append(active, piece{pieceActive, m, size, 1})
		}
	}
	pieces = append(pieces, l.once(active)...)
	p.Tokens, p.Blocks = 0, 1
	total, same, differs := 0, 0, false
	for i, one := range pieces {
		differs = differs || i >= len(l.before) || l.before[i] != one
		total += one.size
		p.Blocks += one.blocks
		if !differs {
			same = total
		}
	}
	l.before = pieces
	p.Tokens, p.Same = cal.scaled(token.OfChars(total)), cal.scaled(token.OfChars(same))
	return p
}

// once returns the active pieces without reads that a later one repeats.
func (l *pools) once(active []piece) []piece {
	later := make(map[fileRead]bool)
	for i, a := range slices.Backward(active) {
		if r, ok := l.reads[a.message]; ok && later[r] {
			active = slices.Delete(active, i, i+1)
		} else if ok {
			later[r] = true
		}
	}
	return active
}

// list adds what is new in the context to the catalogue.
func (l *pools) list(s *run) {
	for i, m := range s.ctx {
		h := s.rec.head(m)
		if l.listed[m] || h.Role != message.RoleToolResult || policy.Manages(h.ToolName) {
			continue
		}
		l.listed[m] = true
		for _, item := range pool.Items("", []policy.Message{s.callOf(i), s.original(m)}, s.rec.CWD) {
			l.add(m, item)
			if item.Chars > 0 {
				l.reads[m] = fileRead{item.Path, item.Chars}
			}
		}
	}
}

// add adds an item, or updates the line of a file that is listed.
func (l *pools) add(m int32, item pool.Item) {
	one := piece{kind: pieceLine, message: m, size: len(item.Line()) + 1}
	if item.Kind == object.KindFile {
		one.kind = pieceFile
		if at, known := l.files[item.Path]; known {
			l.lines[at].size = max(l.lines[at].size, one.size)
			return
		}
		l.files[item.Path] = len(l.lines)
	}
	l.lines = append(l.lines, one)
}

// callOf returns the message with the call of the result at i, as a planner sees it.
func (s *run) callOf(i int) policy.Message {
	id := s.rec.head(s.ctx[i]).ToolCallID
	for i--; i >= 0; i-- {
		for _, c := range s.rec.head(s.ctx[i]).Calls {
			if c.ID == id {
				return s.original(s.ctx[i])
			}
		}
	}
	return policy.Message{}
}

// attachStates sets the states of objects before every call.
func (l *loader) attachStates() error {
	carriesStates := func(n message.Node) bool { return state.Is(&n) }
	if !slices.ContainsFunc(l.tree.Nodes, carriesStates) {
		return nil
	}
	for i := range l.calls {
		log, err := state.On(l.tree.Path(l.calls[i].leaf), l.line)
		if err != nil {
			return err
		}
		l.calls[i].states = &log.States
	}
	return nil
}

package config

import (
	"slices"
	"strings"
)

// The TOML decoder gives the values of a document, the scanner their places in the
// text. The scanner is lenient: the decoder judges the document, and every edit is
// decoded again before it is returned.

// Limits on the input of the decoder, whose running time grows with the square of the
// length of a key.
const (
	maxDepth = 32      // brackets inside brackets
	maxParts = 32      // parts of a dotted key
	maxBytes = 1 << 18 // bytes of a pictx.toml
)

// entry is a table header or a key with its value. Offsets are bytes.
type entry struct {
	header bool
	table  []string // the table its line is in
	path   []string // the whole key
	// listed entries are in an array of tables, where one path names many entries.
	listed bool
	// inline entries are between the braces of another entry's value.
	inline             bool
	start              int // of the key, or of the header's bracket
	value, valueEnd    int
	lineStart, lineEnd int // with the newline; not set for inline entries
}

// comment is the text from # to the end of its line.
type comment struct {
	start, end int
	table      []string // the table it is in
	own        bool     // nothing else is on its line
	listed     bool
}

// scanner walks a document once.
type scanner struct {
	text     string
	pos      int
	depth    int
	tooDeep  bool
	table    []string
	listed   bool
	lists    map[string]bool // keys of the arrays of tables seen so far
	entries  []entry
	comments []comment
}

// scan walks a document and reports whether it reached the end.
func scan(text string) (*scanner, bool) {
	s := &scanner{text: text, pos: len(text) - len(strings.TrimPrefix(text, "\ufeff")), lists: map[string]bool{}}
	for s.pos < len(s.text) {
		if !s.line() {
			return s, false
		}
	}
	return s, true
}

// line walks one top-level line, or more when a value spans lines.
func (s *scanner) line() bool {
	start, first := s.pos, len(s.entries)
	s.spaces()
	switch s.peek() {
	case '\n', '\r', '#', 0:
		return s.endOfLine(true)
	case '[':
		if !s.header() {
			return false
		}
	default:
		if !s.pair(s.table, false) {
			return false
		}
	}
	if !s.endOfLine(false) {
		return false
	}
	s.entries[first].lineStart, s.entries[first].lineEnd = start, s.pos
	return true
}

// header walks [table] or [[table]].
func (s *scanner) header() bool {
	start, brackets := s.pos, "]"
	if strings.HasPrefix(s.text[s.pos:], "[[") {
		brackets = "]]"
	}
	s.pos += len(brackets)
	path, ok := s.key()
	if !ok || !strings.HasPrefix(s.text[s.pos:], brackets) {
		return false
	}
	s.pos += len(brackets)
	if len(brackets) == 2 {
		s.lists[formatKey(path)] = true
	}
	s.table, s.listed = path, s.inList(path)
	s.entries = append(s.entries, entry{header: true, table: path, path: path, listed: s.listed, start: start, valueEnd: s.pos})
	return true
}

// inList reports whether a table is in an array of tables, or is one.
func (s *scanner) inList(path []string) bool {
	for i := range path {
		if s.lists[formatKey(path[:i+1])] {
			return true
		}
	}
	return false
}

// pair walks key = value; prefix is the path of the table it is in.
func (s *scanner) pair(prefix []string, inline bool) bool {
	start := s.pos
	key, ok := s.key()
	if !ok || s.peek() != '=' {
		return false
	}
	s.pos++
	s.spaces()
	i, path := len(s.entries), slices.Concat(prefix, key)
	s.entries = append(s.entries, entry{
		table: s.table, path: path, listed: s.listed,
		inline: inline, start: start, value: s.pos,
	})
	ok = s.scanValue(path)
	s.entries[i].valueEnd = s.pos
	return ok
}

// key walks a dotted key and the spaces around it.
func (s *scanner) key() ([]string, bool) {
	var path []string
	for {
		s.spaces()
		part, ok := s.keyPart()
		if !ok {
			return nil, false
		}
		path = append(path, part)
		if len(path) > maxParts {
			s.tooDeep = true
			return nil, false
		}
		s.spaces()
		if s.peek() != '.' {
			return path, true
		}
		s.pos++
	}
}

// keyPart walks a bare or quoted part of a key.
func (s *scanner) keyPart() (string, bool) {
	start := s.pos
	if c := s.peek(); c == '"' || c == '\'' {
		if !s.quoted(c) {
			return "", false
		}
		return unquote(s.text[start:s.pos])
	}
	for s.pos < len(s.text) && bareChar(s.text[s.pos]) {
		s.pos++
	}
	return s.text[start:s.pos], s.pos > start
}

// unquote is the text of a quoted key.
func unquote(text string) (string, bool) {
	inner := text[1 : len(text)-1]
	if text[0] == '\'' || !strings.Contains(inner, `\`) {
		return inner, true
	}
	values, err := decodeValues("key = " + text)
	key, ok := values["key"].(string)
	return key, ok && err == nil
}

// scanValue walks a value; path is its key, for the entries inside it.
func (s *scanner) scanValue(path []string) bool {
	switch c := s.peek(); c {
	case '"', '\'':
		if mark := strings.Repeat(string(c), 3); strings.HasPrefix(s.text[s.pos:], mark) {
			return s.multiline(mark)
		}
		return s.quoted(c)
	case '[':
		return s.nested(']', func() bool { return s.scanValue(path) })
	case '{':
		return s.nested('}', func() bool { return s.pair(path, true) })
	default:
		return s.scalar()
	}
}

// nested walks an array or an inline table up to the closing byte.
func (s *scanner) nested(closing byte, item func() bool) bool {
	defer s.enter(closing)()
	if s.tooDeep {
		return false
	}
	s.pos++
	for {
		s.blanks()
		if s.peek() == closing {
			s.pos++
			return true
		}
		if !item() {
			return false
		}
		s.blanks()
		if s.peek() == ',' {
			s.pos++
		} else if s.peek() != closing {
			return false
		}
	}
}

// enter goes one bracket deeper and returns the way back. What is inside an
// array is listed.
func (s *scanner) enter(closing byte) func() {
	listed := s.listed
	s.listed = listed || closing == ']'
	s.depth++
	s.tooDeep = s.tooDeep || s.depth > maxDepth
	return func() { s.listed = listed; s.depth-- }
}

// quoted walks a string on one line.
func (s *scanner) quoted(mark byte) bool {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == mark:
			s.pos++
			return true
		case c == '\\' && mark == '"':
			s.pos++
		case c == '\n':
			return false
		}
	}
	s.pos = len(s.text)
	return false
}

// multiline walks a string between three quotes, which may end with two more.
func (s *scanner) multiline(mark string) bool {
	for s.pos += len(mark); s.pos < len(s.text); s.pos++ {
		if s.text[s.pos] == '\\' && mark[0] == '"' {
			s.pos++
			continue
		}
		if !strings.HasPrefix(s.text[s.pos:], mark) {
			continue
		}
		s.pos += len(mark)
		for extra := 0; extra < 2 && s.peek() == mark[0]; extra++ {
			s.pos++
		}
		return true
	}
	s.pos = len(s.text)
	return false
}

// scalar walks a number, a date or a word.
func (s *scanner) scalar() bool {
	end := strings.IndexAny(s.text[s.pos:], ",]}#\r\n")
	if end < 0 {
		end = len(s.text) - s.pos
	}
	length := len(strings.TrimRight(s.text[s.pos:s.pos+end], " \t"))
	s.pos += length
	return length > 0
}

// endOfLine walks spaces, a comment and the newline.
func (s *scanner) endOfLine(own bool) bool {
	s.spaces()
	if s.peek() == '#' {
		s.comment(own)
	}
	if strings.HasPrefix(s.text[s.pos:], "\r\n") {
		s.pos++
	}
	if s.pos == len(s.text) {
		return true
	}
	s.pos++
	return s.text[s.pos-1] == '\n'
}

// comment walks from # to the end of the line.
func (s *scanner) comment(own bool) {
	start := s.pos
	if i := strings.IndexByte(s.text[s.pos:], '\n'); i >= 0 {
		s.pos += i
	} else {
		s.pos = len(s.text)
	}
	if s.pos > start && s.text[s.pos-1] == '\r' {
		s.pos--
	}
	s.comments = append(s.comments, comment{start: start, end: s.pos, table: s.table, own: own && s.depth == 0, listed: s.listed})
}

// blanks walks spaces, newlines and comments inside brackets.
func (s *scanner) blanks() {
	for {
		switch s.peek() {
		case ' ', '\t', '\r', '\n':
			s.pos++
		case '#':
			s.comment(false)
		default:
			return
		}
	}
}

// spaces walks spaces and tabs.
func (s *scanner) spaces() {
	for s.pos < len(s.text) && (s.text[s.pos] == ' ' || s.text[s.pos] == '\t') {
		s.pos++
	}
}

// peek is the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos >= len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

// bareChar reports whether a key may have the byte without quotes.
func bareChar(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// hasPrefix reports whether path begins with prefix, or is it.
func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

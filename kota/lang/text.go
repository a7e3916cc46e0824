package lang

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// IsBinary reports whether data is not text: its first 8 KB contain a NUL byte and it is not
// UTF-16.
func IsBinary(data []byte) bool {
	utf16 := bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff})
	return !utf16 && bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0
}

// Decode returns text in UTF-8, without a byte order mark.
func Decode(data []byte) []byte {
	if len(data) < 2 || data[0] < 0xef {
		return data // no mark begins like that
	}
	out, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), data)
	if err != nil {
		return data
	}
	return out
}

// Text is a file's text with access by line. The zero Text is empty.
type Text struct {
	Data  []byte
	lines []int // offsets of line starts
}

// NewText indexes the lines of a text.
func NewText(data []byte) Text {
	t := Text{Data: data, lines: []int{0}}
	for i, c := range data {
		if c == '\n' || c == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// Span returns the text of lines from to to, which count from 1; nil when there is no such line.
func (t Text) Span(from, to int) []byte {
	if from < 1 || from > len(t.lines) || to < from {
		return nil
	}
	end := len(t.Data)
	if to < len(t.lines) {
		end = t.lines[to]
	}
	return t.Data[min(t.lines[from-1], end):end]
}

// Line returns line n without its line break.
func (t Text) Line(n int) string { return string(bytes.TrimRight(t.Span(n, n), "\r\n")) }

// IsQuiet reports whether a line outside all declarations has no effect: it is empty, a comment,
// or part of a list of names.
func IsQuiet(line string) bool {
	line = strings.TrimSpace(line)
	for _, p := range []string{"//", "/*", "*", "}", "{", ")", "]", "@", "'use ", `"use `} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return strings.Trim(line, ",abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$ ") == ""
}

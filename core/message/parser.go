package message

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotObject is returned for well-formed JSON that is not an object: entries, messages
// and events must be objects.
var ErrNotObject = errors.New("not a JSON object")

// Parser decodes entries and messages. The zero value is ready. A Parser reuses its buffers
// and must not be used concurrently.
//
// It accepts what JavaScript emits and strict parsers reject: lone surrogate escapes,
// invalid UTF-8, duplicate names (the last one wins, as in JavaScript) and numbers too
// large for a float.
type Parser struct {
	dec   *jsontext.Decoder
	buf   bytes.Buffer
	data  []byte
	words map[string]string
	entry entryParse // of the line being parsed
}

// maxWords bounds the table of interned words, in case a hostile file has a million tool
// names.
const maxWords = 4096

// reset points the parser at data.
func (p *Parser) reset(data []byte) {
	p.data = data
	p.buf = *bytes.NewBuffer(data)
	if p.dec == nil {
		p.dec = jsontext.NewDecoder(&p.buf, lenient()...)
		return
	}
	p.dec.Reset(&p.buf, lenient()...)
}

// lenient returns the options with which pi's JSON is decoded.
func lenient() []jsontext.Options {
	return []jsontext.Options{
		jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true),
	}
}

// end checks that only white space follows the value.
func (p *Parser) end() error {
	switch _, err := p.dec.ReadToken(); {
	case err == nil:
		return fmt.Errorf("parse JSON: text after the value at byte %d", p.dec.InputOffset())
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("parse JSON: %w", err)
	}
	return nil
}

// open reads the opening bracket of an object or array and returns its offset. It skips a
// value of another kind and returns -1.
func (p *Parser) open(kind jsontext.Kind) (int, error) {
	if p.dec.PeekKind() != kind {
		return -1, p.dec.SkipValue()
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return -1, err
	}
	return int(p.dec.InputOffset()) - 1, nil
}

// object reads an object and calls visit with the name of each member; visit must consume
// exactly the member's value. A value of another kind is skipped.
func (p *Parser) object(visit func(name string) error) error {
	start, err := p.open(jsontext.KindBeginObject)
	if err != nil || start < 0 {
		return err
	}
	return p.members(visit)
}

// members reads the rest of an object after its opening brace.
func (p *Parser) members(visit func(name string) error) error {
	for p.dec.PeekKind() == jsontext.KindString {
		name, err := p.word()
		if err != nil {
			return err
		}
		if err := visit(name); err != nil {
			return err
		}
	}
	_, err := p.dec.ReadToken()
	return err
}

// array is object for the elements of an array.
func (p *Parser) array(visit func() error) error {
	start, err := p.open(jsontext.KindBeginArray)
	if err != nil || start < 0 {
		return err
	}
	return p.elements(visit)
}

// elements reads the rest of an array after its opening bracket. It calls visit for each
// element, which visit must consume.
func (p *Parser) elements(visit func() error) error {
	for {
		switch p.dec.PeekKind() {
		case jsontext.KindEndArray, jsontext.KindInvalid:
			_, err := p.dec.ReadToken()
			return err
		}
		if err := visit(); err != nil {
			return err
		}
	}
}

// span reads any value and returns its location in the input.
func (p *Parser) span() (Span, error) {
	v, err := p.dec.ReadValue()
	if err != nil {
		return Span{}, err
	}
	end := int(p.dec.InputOffset())
	return Span{Start: end - len(v), End: end}, nil
}

// word reads a string and interns it, because a session repeats a few names a hundred
// thousand times. A value of another kind is skipped and yields "".
func (p *Parser) word() (string, error) {
	if p.dec.PeekKind() != jsontext.KindString {
		return "", p.dec.SkipValue()
	}
	v, err := p.dec.ReadValue()
	if err != nil {
		return "", err
	}
	return p.intern(v), nil
}

// intern decodes a string literal; short ones are decoded once.
func (p *Parser) intern(literal []byte) string {
	if w, ok := p.words[string(literal)]; ok {
		return w
	}
	w := Unquote(literal)
	if len(literal) > 64 || len(p.words) >= maxWords {
		return w
	}
	if p.words == nil {
		p.words = make(map[string]string)
	}
	p.words[string(literal)] = w
	return w
}

// text reads a string that is unlikely to repeat. A value of another kind yields "".
func (p *Parser) text() (string, error) {
	if p.dec.PeekKind() != jsontext.KindString {
		return "", p.dec.SkipValue()
	}
	v, err := p.dec.ReadValue()
	if err != nil {
		return "", err
	}
	return Unquote(v), nil
}

// boolean reads true or false; everything else is false.
func (p *Parser) boolean() (bool, error) {
	v, err := p.dec.ReadValue()
	return err == nil && v.Kind() == jsontext.KindTrue, err
}

// integer reads a number, truncated to an integer. Anything else, and a number that does
// not fit an int64, yields 0: a timestamp of 1e400 must not make a session unreadable.
func (p *Parser) integer() (int64, error) {
	v, err := p.dec.ReadValue()
	if err != nil || v.Kind() != jsontext.KindNumber {
		return 0, err
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f > 1<<62 || f < -(1<<62) {
		return 0, nil
	}
	return int64(f), nil
}

// number reads a number. Anything else yields 0.
func (p *Parser) number() (float64, error) {
	v, err := p.dec.ReadValue()
	if err != nil || v.Kind() != jsontext.KindNumber {
		return 0, err
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, nil
	}
	return f, nil
}

// Unquote decodes a JSON string literal leniently: a lone surrogate or an invalid byte
// becomes U+FFFD. A literal that is not a string yields "".
func Unquote(literal []byte) string {
	if inner, ok := plainString(literal); ok {
		return string(inner)
	}
	return string(appendUnquoted(nil, literal))
}

// appendUnquoted appends the result of Unquote.
func appendUnquoted(dst, literal []byte) []byte {
	if inner, ok := plainString(literal); ok {
		return append(dst, inner...)
	}
	// Errors are about invalid input that was replaced by U+FFFD.
	dst, _ = jsontext.AppendUnquote(dst, literal)
	return dst
}

// plainString returns what is between the quotes of a literal, and reports whether that is
// all there is to decoding it.
func plainString(literal []byte) (inner []byte, ok bool) {
	if len(literal) < 2 || literal[0] != '"' {
		return nil, true
	}
	inner = literal[1 : len(literal)-1]
	return inner, bytes.IndexByte(inner, '\\') < 0 && text.IsASCIIBytes(inner)
}

// utf16Len returns the number of UTF-16 units of a JSON string literal without decoding it:
// the length in JavaScript, which pi's own token estimate divides by four. An invalid byte
// is one unit, like the replacement character that it is read as. The length of anything
// but a string is 0.
func utf16Len(literal []byte) int {
	if len(literal) == 0 || literal[0] != '"' {
		return 0
	}
	n := 0
	for i := 1; i < len(literal)-1; {
		if plain := plainPrefix(literal[i : len(literal)-1]); plain > 0 {
			n, i = n+plain, i+plain
			continue
		}
		c := literal[i]
		switch {
		case c == '\\' && literal[i+1] == 'u':
			n, i = n+1, i+6
		case c == '\\':
			n, i = n+1, i+2
		case c < utf8.RuneSelf:
			n, i = n+1, i+1
		default:
			r, size := utf8.DecodeRune(literal[i:])
			n, i = n+utf16.RuneLen(r), i+size
		}
	}
	return n
}

// plainPrefix returns how many leading bytes of a literal are ASCII and not part of an
// escape, as nearly all of a session is. It tests eight bytes at a time and ignores a
// shorter rest.
func plainPrefix(literal []byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(literal); n += 8 {
		word := binary.LittleEndian.Uint64(literal[n:])
		escapes := word ^ ones*'\\' // a byte that is 0 here is a backslash
		if other := (word | (escapes-ones)&^escapes) & tops; other != 0 {
			return n + bits.TrailingZeros64(other)/8
		}
	}
	return n
}

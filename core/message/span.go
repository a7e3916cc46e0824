package message

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// whole reads data, which must hold one object or array and nothing else. read reads what follows
// the opening bracket.
func (p *Parser) whole(data []byte, kind jsontext.Kind, read func() error) error {
	p.reset(data)
	start, err := p.open(kind)
	switch {
	case err != nil:
		return err
	case start < 0 && kind == jsontext.KindBeginObject:
		return ErrNotObject
	case start < 0:
		return errors.New("not a JSON array")
	}
	if err := read(); err != nil {
		return err
	}
	return p.end()
}

// Elements returns the locations of the elements of a JSON array in data, which must hold
// nothing else.
func (p *Parser) Elements(data []byte) (spans []Span, err error) {
	err = p.whole(data, jsontext.KindBeginArray, func() error {
		return p.elements(func() error {
			s, err := p.span()
			spans = append(spans, s)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("parse list: %w", err)
	}
	return spans, nil
}

// Member returns the location of a member's value in a JSON object in data, which must hold
// nothing else. When a name is repeated the last value counts; an absent member yields the
// zero Span.
func (p *Parser) Member(data []byte, name string) (found Span, err error) {
	err = p.whole(data, jsontext.KindBeginObject, func() error {
		return p.members(func(n string) error {
			s, err := p.span()
			if n == name {
				found = s
			}
			return err
		})
	})
	if err != nil {
		return Span{}, fmt.Errorf("parse object: %w", err)
	}
	return found, nil
}

// StringMember returns the string value of a member of an object, "" when it is not one.
func (p *Parser) StringMember(object []byte, name string) string {
	s, err := p.Member(object, name)
	if err != nil || jsontext.Value(s.Of(object)).Kind() != jsontext.KindString {
		return ""
	}
	return Unquote(s.Of(object))
}

// TimeMember returns the value of a member of an object that is a time in milliseconds, 0
// when it is not one.
func (p *Parser) TimeMember(object []byte, name string) int64 {
	const late = 1 << 53 // beyond the integers of JavaScript
	s, err := p.Member(object, name)
	if err != nil || s.End == 0 {
		return 0
	}
	t := int64(0)
	for _, c := range s.Of(object) {
		if c < '0' || c > '9' || t > late {
			return 0
		}
		t = 10*t + int64(c-'0')
	}
	return t
}

// DataList returns the elements of a list in the data of a custom entry.
func (p *Parser) DataList(entry []byte, name string) [][]byte {
	data, err := p.Member(entry, "data")
	if err != nil || data.End == 0 {
		return nil
	}
	return p.ListMember(data.Of(entry), name)
}

// ListMember returns the elements of a member of an object that is an array.
func (p *Parser) ListMember(object []byte, name string) [][]byte {
	list, err := p.Member(object, name)
	if err != nil || list.End == 0 {
		return nil
	}
	return p.List(list.Of(object))
}

// List returns the elements of a JSON array, none when data is not one.
func (p *Parser) List(data []byte) [][]byte {
	spans, err := p.Elements(data)
	if err != nil {
		return nil
	}
	out := make([][]byte, len(spans))
	for i, s := range spans {
		out[i] = s.Of(data)
	}
	return out
}

package message

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Elements returns where the elements of a JSON array lie in data, which must
// hold nothing else.
func (p *Parser) Elements(data []byte) ([]Span, error) {
	p.reset(data)
	start, err := p.open(jsontext.KindBeginArray)
	if err == nil && start < 0 {
		err = errors.New("not a JSON array")
	}
	if err != nil {
		return nil, fmt.Errorf("parse list: %w", err)
	}
	var spans []Span
	err = p.elements(func() error {
		s, err := p.span()
		spans = append(spans, s)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("parse list: %w", err)
	}
	return spans, p.end()
}

// Member returns where the value of a member of a JSON object lies in data, which
// must hold nothing else. The last of several with one name counts; an absent
// one gives the zero Span.
func (p *Parser) Member(data []byte, name string) (Span, error) {
	p.reset(data)
	start, err := p.open(jsontext.KindBeginObject)
	if err == nil && start < 0 {
		err = ErrNotObject
	}
	if err != nil {
		return Span{}, fmt.Errorf("parse object: %w", err)
	}
	var found Span
	err = p.members(func(n string) error {
		s, err := p.span()
		if n == name {
			found = s
		}
		return err
	})
	if err != nil {
		return Span{}, fmt.Errorf("parse object: %w", err)
	}
	return found, p.end()
}

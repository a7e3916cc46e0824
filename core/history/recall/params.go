package recall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// params are the arguments of a tool call. A model wrote them, so they are parsed
// leniently: numbers may be quoted, texts unquoted, null means missing, unknown members are
// ignored. Only the first error is kept.
type params struct {
	tool, hint string
	values     map[string]jsontext.Value
	err        error
}

// readParams parses the arguments of a call; an empty text and null are a call without
// arguments.
func readParams(tool, hint string, raw []byte) *params {
	p := &params{tool: tool, hint: hint, values: map[string]jsontext.Value{}}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return p
	}
	if json.Unmarshal(raw, &p.values) != nil {
		p.fail("the arguments are not a JSON object")
	}
	maps.DeleteFunc(p.values, func(_ string, v jsontext.Value) bool { return v.Kind() == jsontext.KindNull })
	return p
}

// fail records an error, if it is the first.
func (p *params) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &BadCallError{Tool: p.tool, Problem: fmt.Sprintf(format, args...), Hint: p.hint}
	}
}

// text returns a member as text, "" when it is missing.
func (p *params) text(name string) string {
	v, ok := p.values[name]
	if !ok {
		return ""
	}
	switch v.Kind() {
	case jsontext.KindString:
		return message.Unquote(v)
	case jsontext.KindNumber, jsontext.KindTrue, jsontext.KindFalse:
		return string(v)
	}
	p.fail("%s must be a text", name)
	return ""
}

// number returns a whole number, 0 when it is missing.
func (p *params) number(name string) int {
	s := strings.TrimSpace(p.text(name))
	if s == "" {
		return 0
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > math.MaxInt32 {
		p.fail("%s must be a number, not %s", name, quoted(s))
		return 0
	}
	return int(f)
}

// choice returns one of words, the first when the member is missing.
func (p *params) choice(name string, words ...string) string {
	s := strings.ToLower(strings.TrimSpace(p.text(name)))
	if s == "" {
		return words[0]
	}
	for _, w := range words {
		if s == w {
			return w
		}
	}
	p.fail("%s must be %s, not %s", name, strings.Join(words, " or "), quoted(s))
	return words[0]
}

// words returns the words of a list, or of a text separated by commas.
func (p *params) words(name string) []string {
	if v := p.values[name]; v.Kind() == jsontext.KindBeginArray {
		return list(v)
	}
	return strings.FieldsFunc(p.text(name), func(r rune) bool { return r == ',' || r == ' ' })
}

// texts returns the texts of a list, or a single one, without blank ones.
func (p *params) texts(name string) []string {
	v := p.values[name]
	out := []string{""}
	if v.Kind() == jsontext.KindBeginArray {
		out = list(v)
	} else {
		out[0] = p.text(name)
	}
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// list returns the texts of a list.
func list(v jsontext.Value) []string {
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	var out []string
	for t, err := d.ReadToken(); err == nil; t, err = d.ReadToken() {
		if t.Kind() == jsontext.KindString {
			out = append(out, t.String())
		}
	}
	return out
}

// time returns a time as Unix milliseconds, 0 when it is missing. Without an offset it is
// UTC, like the times in replies.
func (p *params) time(name string) int64 {
	s := strings.TrimSpace(p.text(name))
	if s == "" {
		return 0
	}
	for _, layout := range []string{
		time.RFC3339, text.ZonedForm, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly,
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UnixMilli()
		}
	}
	p.fail("%s must be an ISO time such as 2026-03-01T09:30Z or 2026-03-01, not %s", name, quoted(s))
	return 0
}

// roles converts the words for roles into pi's names.
func (p *params) roles(name string) []string {
	var out []string
	for _, w := range p.words(name) {
		switch strings.ToLower(w) {
		case "user", "assistant", "custom":
			out = append(out, strings.ToLower(w))
		case "tool", "toolresult":
			out = append(out, string(message.RoleToolResult))
		case "bash", "bashexecution":
			out = append(out, string(message.RoleBashExecution))
		case "summary":
			out = append(out, string(message.RoleCompactionSummary), string(message.RoleBranchSummary))
		default:
			p.fail("role must be user, assistant, tool, bash, custom or summary, not %s", quoted(w))
		}
	}
	return out
}

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
	if !slices.Contains(words, s) {
		p.fail("%s must be %s, not %s", name, strings.Join(words, " or "), quoted(s))
	}
	return s
}

// texts returns the texts of a list, or a single one, without blank ones.
func (p *params) texts(name string) []string {
	out := []string{""}
	if v := p.values[name]; v.Kind() == jsontext.KindBeginArray {
		d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
		for t, err := d.ReadToken(); err == nil; t, err = d.ReadToken() {
			if t.Kind() == jsontext.KindString {
				out = append(out, t.String())
			}
		}
	} else {
		out[0] = p.text(name)
	}
	return slices.DeleteFunc(out, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// time returns a time as Unix milliseconds, 0 when it is missing. Without an offset it is
// UTC, like the times in replies.
func (p *params) time(name string) int64 {
	s := strings.TrimSpace(p.text(name))
	if s == "" {
		return 0
	}
	ms, ok := text.Moment(s, time.Time{}) // before which nothing was: a span before now is no time
	if !ok || ms < 0 {
		p.fail("%s must be an ISO time such as 2026-03-01T09:30Z or 2026-03-01, not %s", name, quoted(s))
		return 0
	}
	return ms
}

// roles converts the words for roles, which may be separated by commas, into pi's names.
func (p *params) roles(name string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.Join(p.texts(name), ","), func(r rune) bool { return r == ',' || r == ' ' }) {
		names := Roles(w)
		if names == nil {
			p.fail("role must be user, assistant, tool, bash, custom or summary, not %s", quoted(w))
		}
		out = append(out, names...)
	}
	return out
}

// Roles returns the roles that a word stands for, nil if it is none.
func Roles(word string) []string {
	switch word = strings.ToLower(word); word {
	case "user", "assistant", "custom":
		return []string{word}
	case "tool", "toolresult":
		return []string{string(message.RoleToolResult)}
	case "bash", "bashexecution":
		return []string{string(message.RoleBashExecution)}
	case "summary":
		return []string{string(message.RoleCompactionSummary), string(message.RoleBranchSummary)}
	}
	return nil
}

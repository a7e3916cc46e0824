package config

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/bmatcuk/doublestar/v4"
	"github.com/dustin/go-humanize"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/secret"
)

// maxInt bounds every number, and maxSize every size, so that sums of settings cannot overflow.
const (
	maxInt  = 1_000_000_000
	maxSize = 1 << 50
)

// kind is what the values of a type are.
type kind struct {
	name, expected string
	list           bool
	item           func(text string) bool // accepts a text, or each element of a list
}

// kinds describes each Type.
var kinds = [...]kind{
	Bool:     {name: "bool", expected: "true or false"},
	Int:      {name: "int"},
	Enum:     {name: "enum"},
	Bytes:    {name: "size", expected: "a size such as 250MB, or a whole number of bytes", item: isSize},
	Dir:      {name: "directory", expected: "a directory, absolute or beginning with ~/", item: func(dir string) bool { return dir == "" || anchored(dir) }},
	Strings:  {name: "names", expected: "a list of names", list: true, item: func(string) bool { return true }},
	Globs:    {name: "globs", expected: "a list of glob patterns", list: true, item: doublestar.ValidatePattern},
	Dirs:     {name: "directories", expected: "a list of directories, each absolute or beginning with ~/", list: true, item: anchored},
	Models:   {name: "models", expected: "a list of models, each as provider/id", list: true, item: func(string) bool { return true }},
	Patterns: {name: "patterns", expected: "a list of regular expressions, none of which matches the empty text", list: true, item: isPattern},
	Prices:   {name: "prices", expected: "a list of prices, each as model=dollars for a million tokens of input", list: true, item: isPrice},
}

// String is the type in one word.
func (t Type) String() string { return kinds[t].name }

func isSize(text string) bool {
	_, ok := parseSize(text)
	return ok
}

func isPattern(text string) bool {
	_, err := secret.Compile(text)
	return err == nil
}

func isPrice(text string) bool {
	_, ok := bill.ParseModelPrice(text)
	return ok
}

// anchored reports whether a directory is absolute or in the home directory: a relative one
// would depend on the shell's directory.
func anchored(dir string) bool {
	return path.IsAbs(dir) || dir == "~" || strings.HasPrefix(dir, "~/") || windowsAbs(dir)
}

// windowsAbs recognises C:\dir, C:/dir and \\server\share.
func windowsAbs(dir string) bool {
	if strings.HasPrefix(dir, `\\`) {
		return true
	}
	return len(dir) > 2 && dir[1] == ':' && (dir[2] == '\\' || dir[2] == '/')
}

// parseSize parses a number of bytes with or without a unit: 250MB, 1.5 GiB, 262144000.
// Fractions of a byte are dropped.
func parseSize(text string) (int64, bool) {
	n, err := humanize.ParseBytes(strings.TrimSpace(text))
	return int64(n), err == nil && n <= maxSize
}

// expected describes the valid values of the key.
func (s *Key) expected() string {
	switch s.Type {
	case Int:
		return fmt.Sprintf("a whole number from %d to %d", s.From, s.most())
	case Enum:
		return "one of " + strings.Join(s.Enum, ", ")
	}
	return kinds[s.Type].expected
}

// check converts a value decoded from TOML or JSON to the key's type. It never coerces:
// "false" is not false, and 1.0 is not 1.
func (s *Key) check(v any) (any, bool) {
	k := kinds[s.Type]
	switch v := v.(type) {
	case bool:
		return v, s.Type == Bool
	case json.Number:
		n, err := v.Int64()
		checked, ok := s.check(n)
		return checked, err == nil && ok
	case int64:
		if s.Type == Bytes {
			return s.check(strconv.FormatInt(v, 10))
		}
		return int(v), s.Type == Int && v >= int64(s.From) && v <= int64(s.most())
	case string:
		return v, s.Type == Enum && slices.Contains(s.Enum, v) || k.item != nil && !k.list && utf8.ValidString(v) && k.item(v)
	case []any:
		list := make([]string, 0, len(v))
		for _, item := range v {
			text := s.element(item)
			if !k.list || text == "" || !utf8.ValidString(text) || !k.item(text) {
				return nil, false
			}
			list = append(list, text)
		}
		return list, k.list
	}
	return nil, false
}

// element returns an element of a list, "" if it is not text. pi-lcm writes a model as
// {provider, id}.
func (s *Key) element(item any) string {
	text, _ := item.(string)
	if model, ok := item.(map[string]any); ok && s.Type == Models {
		provider, _ := model["provider"].(string)
		id, _ := model["id"].(string)
		if provider != "" && id != "" {
			text = provider + "/" + id
		}
	}
	return text
}

// parse reads a value as a person types it: in a shell, a variable, a flag.
func (s *Key) parse(text string) (any, error) {
	if v, ok := s.check(s.typed(strings.TrimSpace(text))); ok {
		return v, nil
	}
	message := fmt.Sprintf("set %s: expected %s, got %s", s.Name, s.expected(), show(text))
	return nil, &Error{message: message, hint: "pictx config get " + s.Name}
}

// typed converts text to what a TOML decoder would return for it, or leaves it a string,
// which check may reject.
func (s *Key) typed(text string) any {
	listed := strings.HasPrefix(text, "[")
	if s.Type == Int || kinds[s.Type].list && listed {
		// More than one value is rejected, so that the text cannot set other keys.
		if d, wrong := decode([]byte("v = " + text)); wrong == nil && len(d.values) == 1 {
			return d.values["v"]
		}
	}
	switch {
	case s.Type == Bool:
		return typedBool(text)
	case s.Type == Dir:
		return strings.Trim(text, `"`)
	case kinds[s.Type].list && text == "":
		return []any{}
	case s.Type == Patterns: // commas do not divide an expression
		return []any{text}
	case kinds[s.Type].list && !listed:
		var list []any
		for item := range strings.SplitSeq(text, ",") {
			list = append(list, strings.TrimSpace(item))
		}
		return list
	}
	return text
}

// typedBool knows the words people use for true and false.
func typedBool(text string) any {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1":
		return true
	case "false", "off", "no", "0":
		return false
	}
	return text
}

// Check reports whether a key exists and a value, as a person types it, is one
// the key may have. The error is an *Error.
func Check(key, value string) error {
	s, err := lookup(key)
	if err == nil {
		_, err = s.parse(value)
	}
	return err
}

// format is a decoded value in TOML form.
func format(v any) string {
	text, err := toml.Marshal(map[string]any{"v": v})
	if err != nil { // JSON's null
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v = "))
}

// show is any decoded value for a message: short, on one line, and with
// nothing in it that a terminal would obey.
func show(v any) string {
	table := func(item any) bool {
		_, ok := item.(map[string]any)
		return ok
	}
	switch list := v.(type) {
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	case []any:
		if slices.ContainsFunc(list, table) {
			return "a list of tables"
		}
	}
	return brief(format(v))
}

package config

import (
	"encoding/json"
	"fmt"
	"math"
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

// maxInt bounds every number, so that sums of settings cannot overflow.
const maxInt = 1_000_000_000

// expected describes the valid values of the key.
func (s spec) expected() string {
	switch s.Type {
	case Bool:
		return "true or false"
	case Int:
		return fmt.Sprintf("a whole number from %d to %d", s.From, s.most())
	case Enum:
		return "one of " + strings.Join(s.Enum, ", ")
	case Bytes:
		return "a size such as 250MB, or a whole number of bytes"
	case Dir:
		return "a directory, absolute or beginning with ~/"
	case Globs:
		return "a list of glob patterns"
	case Models:
		return "a list of models, each as provider/id"
	case Patterns:
		return "a list of regular expressions, none of which matches the empty text"
	case Dirs:
		return "a list of directories, each absolute or beginning with ~/"
	case Prices:
		return "a list of prices, each as model=dollars for a million tokens of input"
	default:
		return "a list of names"
	}
}

// check converts a value decoded from TOML or JSON to the key's type. It never coerces:
// "false" is not false, and 1.0 is not 1.
func (s spec) check(v any) (any, bool) {
	switch s.Type {
	case Bool:
		b, ok := v.(bool)
		return b, ok
	case Int:
		return checkInt(v, s.From, s.most())
	case Enum:
		word, ok := v.(string)
		return word, ok && slices.Contains(s.Enum, word)
	case Bytes:
		return checkSize(v)
	case Dir:
		dir, ok := v.(string)
		return dir, ok && (dir == "" || anchored(dir) && utf8.ValidString(dir))
	default:
		return s.checkList(v)
	}
}

// checkInt accepts the whole numbers of TOML and JSON within bounds.
func checkInt(v any, from, to int) (any, bool) {
	n, ok := v.(int64)
	if text, isJSON := v.(json.Number); isJSON {
		parsed, err := strconv.ParseInt(text.String(), 10, 64)
		n, ok = parsed, err == nil
	}
	return int(n), ok && n >= int64(from) && n <= int64(to)
}

// checkSize accepts a number of bytes or a text for one; a size is kept as the
// text that Size.String writes.
func checkSize(v any) (any, bool) {
	text, ok := v.(string)
	switch n := v.(type) {
	case int64:
		text, ok = strconv.FormatInt(n, 10), true
	case json.Number:
		text, ok = n.String(), !strings.Contains(n.String(), ".")
	}
	size, err := ParseSize(text)
	return size.String(), ok && err == nil
}

// checkList accepts a list whose every element the key's type accepts.
func (s spec) checkList(v any) (any, bool) {
	list, ok := v.([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		text, isString := item.(string)
		if s.Type == Models && !isString {
			text, isString = modelName(item)
		}
		if !isString || !s.checkItem(text) {
			return nil, false
		}
		out = append(out, text)
	}
	return out, ok
}

// modelName reads a model as pi-lcm writes it: {provider, id}.
func modelName(item any) (string, bool) {
	m, _ := item.(map[string]any)
	provider, _ := m["provider"].(string)
	id, _ := m["id"].(string)
	return provider + "/" + id, provider != "" && id != ""
}

// checkItem accepts one element of a list.
func (s spec) checkItem(item string) bool {
	if item == "" || !utf8.ValidString(item) {
		return false
	}
	switch s.Type {
	case Globs:
		return doublestar.ValidatePattern(item)
	case Patterns:
		_, err := secret.Compile(item)
		return err == nil
	case Dirs:
		return anchored(item)
	case Prices:
		_, ok := bill.ParseModelPrice(item)
		return ok
	default:
		return true
	}
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

// parse reads a value as a person types it: in a shell, a variable, a flag.
func (s spec) parse(text string) (any, error) {
	if v, ok := s.check(s.typed(strings.TrimSpace(text))); ok {
		return v, nil
	}
	return nil, &ValueError{Key: s.Name, Value: text, Expected: s.expected()}
}

// typed converts text to what a TOML decoder would return for it, or leaves it a string,
// which check rejects.
func (s spec) typed(text string) any {
	switch s.Type {
	case Bool:
		return typedBool(text)
	case Int:
		return typedInt(text)
	case Enum, Bytes:
		return text
	case Dir:
		return strings.Trim(text, `"`)
	case Patterns:
		if list, ok := tomlList(text).([]any); ok && strings.HasPrefix(text, "[") {
			return list
		}
		return onePattern(text)
	default:
		return typedList(text)
	}
}

// onePattern is a list of one expression, which commas do not divide.
func onePattern(text string) any {
	if text == "" {
		return []any{}
	}
	return []any{text}
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

// typedInt allows 20_000 for 20000.
func typedInt(text string) any {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil {
		return text
	}
	return n
}

// typedList reads a TOML list, or words separated by commas.
func typedList(text string) any {
	if strings.HasPrefix(text, "[") {
		return tomlList(text)
	}
	list := []any{}
	if text == "" {
		return list
	}
	for item := range strings.SplitSeq(text, ",") {
		list = append(list, strings.TrimSpace(item))
	}
	return list
}

// tomlList decodes a TOML list. More than one value is rejected, so that the text cannot
// set other keys.
func tomlList(text string) any {
	d, err := decode([]byte("list = " + text))
	if err != nil || len(d.values) != 1 {
		return text
	}
	return d.values["list"]
}

// Check reports whether a key exists and a value, as a person types it, is one
// the key may have. The error is an *UnknownKeyError or a *ValueError.
func Check(key, value string) error {
	s, err := lookup(key)
	if err != nil {
		return err
	}
	_, err = s.parse(value)
	return err
}

// format is a checked value in TOML form.
func format(v any) string {
	text, _ := toml.Marshal(map[string]any{"v": v}) // a bool, an int, a string or a list of strings
	return strings.TrimSpace(strings.TrimPrefix(string(text), "v = "))
}

// show is any decoded value for a message: short, on one line, and with
// nothing in it that a terminal would obey.
func show(v any) string {
	text := showAny(v)
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "..."
	}
	return text
}

// showAny is show without the limit. 5.0 keeps its point: "expected a whole number, got 5" would
// be confusing.
func showAny(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = showAny(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return fmt.Sprint(v)
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	default:
		return fmt.Sprint(v)
	}
}

// Size is a number of bytes, as in blobs.max_bytes.
type Size int64

// maxSize bounds sizes, so that sums of them cannot overflow.
const maxSize = Size(1) << 50

// unit is a unit of sizes: MB is a million bytes, MiB is 1024 times 1024.
type unit struct {
	name  string
	bytes Size
}

// units lists the units, the largest first.
var units = []unit{
	{"TiB", 1 << 40},
	{"TB", 1e12},
	{"GiB", 1 << 30},
	{"GB", 1e9},
	{"MiB", 1 << 20},
	{"MB", 1e6},
	{"KiB", 1 << 10},
	{"KB", 1e3},
}

// String writes a size as ParseSize reads it: in the largest unit that it is
// a whole number of.
func (n Size) String() string {
	for _, u := range units {
		if n != 0 && n%u.bytes == 0 {
			return strconv.FormatInt(int64(n/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(n), 10)
}

// ParseSize parses a number of bytes with or without a unit: 250MB, 1.5 GiB, 262144000.
// Fractions of a byte are dropped.
func ParseSize(text string) (Size, error) {
	n, err := humanize.ParseBytes(strings.TrimSpace(text))
	if err != nil || n > uint64(maxSize) {
		return 0, fmt.Errorf("parse size %q: want at most %s, as a number and a unit such as MB", text, maxSize)
	}
	return Size(n), nil
}

package head

import (
	"bytes"
	"slices"

	"github.com/coctostan/pictx/kota/lang"
)

// names reads the names in a type, up to one of these characters.
func (r *reader) names(ends string) lang.TypeNames {
	var t lang.TypeNames
	for depth := 0; r.at < len(r.text) && depth >= 0; {
		c := r.peek()
		arrow := bytes.HasPrefix(r.text[r.at:], []byte("=>"))
		if depth == 0 && !arrow && bytes.IndexByte([]byte(ends), c) >= 0 && (c != '{' || len(t.Names) > 0 || t.Open) {
			break
		}
		switch {
		case isWord(c):
			if w := r.word(); w == "is" {
				return lang.TypeNames{Names: []string{"boolean"}}
			} else {
				r.name(&t, w, depth)
			}
		case arrow && depth == 0 && len(t.Names) > 0:
			return t // the arrow follows the result type
		case arrow:
			return lang.TypeNames{Open: true}
		case c == '<':
			depth++
			r.at++
		case c == '>':
			depth--
			r.at++
		default:
			if !r.mark(&t, c, depth) {
				return t
			}
		}
	}
	return t
}

// name adds the name that begins with word w. At a depth above 0 it is a type argument.
func (r *reader) name(t *lang.TypeNames, w string, depth int) {
	switch w {
	case "extends", "implements", "readonly", "undefined", "null", "void", "never", "asserts":
		return
	case "any", "unknown", "object", "keyof", "typeof", "infer", "unique":
		t.Open = true
		if w == "typeof" || w == "keyof" || w == "infer" {
			r.skip("")
			r.word()
		}
		return
	}
	for r.peek() == '.' && r.at+1 < len(r.text) && isWord(r.text[r.at+1]) {
		r.at++
		w = r.word()
	}
	if slices.Contains(r.own, w) || len(w) < 3 || len(w) > 1 && w[0] == 'T' && w[1]-'A' < 26 {
		t.Open = true
		return
	}
	switch {
	case r.peek() == '[' && r.at+1 < len(r.text) && r.text[r.at+1] != ']':
		t.Open = true // an indexed access type: "T['a']"
		r.at = min(r.closing()+1, len(r.text))
	case r.peek() == '[':
		t.Names, t.Inner = append(t.Names, "Array"), append(t.Inner, w)
		r.at += 2
	default:
		add(t, w, depth)
	}
}

// add adds a name. At a depth above 0 it is a type argument.
func add(t *lang.TypeNames, name string, depth int) {
	if depth > 0 {
		t.Inner = append(t.Inner, name)
	} else {
		t.Names = append(t.Names, name)
	}
}

// mark moves over a character that is not part of a name, and reports whether the type may
// continue after it.
func (r *reader) mark(t *lang.TypeNames, c byte, depth int) bool {
	switch c {
	case '{', '[':
		t.Open = true
		r.at = min(r.closing()+1, len(r.text))
	case '(':
		if r.isFunction() {
			t.Open, r.at = true, len(r.text)
			return false
		}
		r.at++
	case '"', '\'', '`':
		add(t, "string", depth)
		n := bytes.IndexByte(r.text[r.at+1:], c)
		if n < 0 {
			r.at = len(r.text)
			return false
		}
		r.at += n + 2
	case '/':
		r.comment()
	default:
		r.at++
	}
	return true
}

// comment moves over a comment, or over a slash that begins none.
func (r *reader) comment() {
	rest, end := r.text[r.at:], ""
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		end = "*/"
	default:
		r.at++
		return
	}
	if i := bytes.Index(rest, []byte(end)); i >= 0 {
		r.at += i + len(end)
		return
	}
	r.at = len(r.text)
}

// path returns the type when it is two names, as a member of an enum is, "" for any other. It does not
// move.
func (r *reader) path() string {
	of := &reader{text: r.text, at: r.at}
	object := of.word()
	if object == "" || of.peek() != '.' {
		return ""
	}
	of.at++
	member, end := of.word(), of.at
	of.skip("")
	sameLine := bytes.IndexByte(of.text[end:of.at], '\n') < 0
	if next := of.peek(); member == "" || bytes.IndexByte([]byte("|&[<.("), next) >= 0 || sameLine && isWord(next) {
		return ""
	}
	return object + "." + member
}

// values returns the strings that a type consists of, as in 'a' | 'b', or "=Kind.A" for what may be a
// member of an enum; nil when it has other parts. It does not move.
func (r *reader) values() []string {
	if path := r.path(); path != "" {
		return []string{"=" + path}
	}
	var out []string
	for rest := bytes.TrimLeft(r.text[r.at:], "| \t\r\n"); len(rest) > 0 && (rest[0] == '"' || rest[0] == '\''); {
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return nil
		}
		out = append(out, string(rest[1:end+1]))
		rest = bytes.TrimLeft(rest[end+2:], " \t\r\n")
		if len(rest) == 0 || rest[0] != '|' {
			if len(rest) > 0 && rest[0] == '[' || bytes.HasPrefix(rest, []byte("extends")) {
				return nil
			}
			return out
		}
		rest = bytes.TrimLeft(rest[1:], " \t\r\n")
	}
	return nil
}

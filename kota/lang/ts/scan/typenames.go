package scan

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

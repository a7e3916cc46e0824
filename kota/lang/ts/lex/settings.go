package lex

import "slices"

// maxNesting is the depth to which brackets in a configuration are read.
const maxNesting = 32

// EachString calls fn with every string that is the value of a key, or an element of that value,
// and with the enclosing keys, outermost first: a configuration read without running it. fn must not
// keep the keys.
func EachString(data []byte, fn func(keys []string, text string)) {
	toks, _ := new(Lexer).Lex(data, false)
	t := Tokens{Src: data, Toks: toks}
	var open []int       // the brackets around the token
	keys := []string{""} // the key of each brace around the token, and its own
	inBrace := func() bool { return len(open) == 0 || t.Op(open[len(open)-1]) == '{' }
	for i := range toks {
		text, quoted := t.Literal(i)
		switch op := t.Op(i); {
		case op == '{':
			keys = append(keys, "")
			open = append(open, i)
		case op == '[' || op == '(':
			open = append(open, i)
		case op == '}' || op == ']' || op == ')':
			if len(open) > 0 && inBrace() {
				keys = keys[:len(keys)-1]
				keys[len(keys)-1] = ""
			}
			open = open[:max(len(open)-1, 0)]
		case op == ',' && inBrace():
			keys[len(keys)-1] = ""
		case (quoted || t.IsWord(i)) && t.Op(i+1) == ':':
			if !quoted {
				text = t.Word(i)
			}
			keys[len(keys)-1] = text
		case quoted && keys[len(keys)-1] != "" && len(keys) < maxNesting:
			fn(slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == "" }), text)
		}
	}
}

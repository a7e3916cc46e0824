package scan

import (
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// maxNamed is how many files that it does not import a file may name.
const maxNamed = 500

// pathAt records the relative path at token i, a string or a template: of a worker, a mock, a module that
// AMD or a bundler loads. With a * in it, it names all files that match.
func (p *parser) pathAt(i int) {
	switch k := p.Toks[i]; {
	case k.Kind != lex.Text && (k.Kind != lex.Quasi || k.Op != lex.Whole && k.Op != lex.Head), p.Op(i-1) == lex.Other, p.imports(i):
		return
	}
	text, _ := p.text(i)
	if _, last, computed := strings.Cut(text, "*"); computed && path.Ext(last) == "" {
		return // it may be anything
	}
	if strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		p.names(text, i)
	}
}

// imports reports whether token i is the specifier of an import, which is read elsewhere.
func (p *parser) imports(i int) bool {
	return p.Is(i-1, "from") || p.Is(i-1, "import") || p.Is(i-1, "module") || p.Op(i-1) == '(' && p.Op(i-3) != '.' && (p.Is(i-2, "import") || p.Is(i-2, "require"))
}

// fileAt records the file that the word of n bytes at token i, or the function that it names, names
// without importing it.
func (p *parser) fileAt(i, n int) {
	dotted := p.Op(i+1) == '.'
	switch {
	case n == 6 && dotted && p.Is(i, "import") && p.Is(i+2, "meta"):
		p.property(i + 4)
	case n == 3 && p.Is(i, "URL") && p.Is(i-1, "new"):
		p.besideURL(i + 2)
	case n == 9 && p.Is(i, "__dirname"):
		p.beside(i, i+1)
	case n == 7 && dotted && p.Is(i, "require"):
		p.property(i + 2)
	case dotted && (n == 4 && p.Is(i, "jest") || n == 2 && p.Is(i, "vi")) && mocks(p.Word(i+2)):
		p.calledWith(i + 2)
	}
}

// property records what the property of import.meta or require at token i names.
func (p *parser) property(i int) {
	switch p.Word(i) {
	case "dirname":
		p.beside(i-4, i+1)
	case "webpackContext", "context":
		p.context(i + 1)
	case "resolve", "glob", "globEager":
		p.calledWith(i)
	}
}

// besideURL records the file in new URL("a", import.meta.url) whose first parameter is token i; pathAt sees
// "./a".
func (p *parser) besideURL(i int) {
	if text, after := p.text(i); p.Is(after+1, "import") && p.Is(after+5, "url") && !strings.HasPrefix(text, ".") {
		p.names("./"+text, i)
	}
}

// calledWith records the file, or the files, that the function at token i is called with, whatever their
// names.
func (p *parser) calledWith(i int) {
	open := p.Angles(i+1, min(i+reach, len(p.Toks)))
	if p.Op(open) != '(' {
		return
	}
	for j := open + 1; j < min(p.Pair(open, open), open+maxType); j++ {
		if spec, ok := p.Literal(j); ok && (p.Op(j-1) == '(' || p.Op(j-1) == '[' || p.Op(j-1) == ',') {
			p.names(spec, j)
		}
		if p.Op(j) == '{' {
			return
		}
	}
}

// beside records the path that the directory of the file begins, which the tokens from i on stand for; what is
// added to it, or joined with it, begins at token after.
func (p *parser) beside(i, after int) {
	text, _ := p.text(i)
	if p.Op(i-1) == '(' {
		for n := 0; p.Op(after) == ',' && n < maxType; n++ {
			var part string
			part, after = p.text(after + 1)
			text += "/" + part
		}
	}
	if p.Toks[max(i-1, 0)].Kind != lex.Quasi {
		p.names("./"+path.Clean(text), i)
	}
}

// text returns the text that the expression at token i stands for, with a * for every part that is
// computed, and the token after it.
func (p *parser) text(i int) (string, int) {
	out := ""
	for n := 0; n < maxType; n++ {
		switch text, ok := p.Literal(i); {
		case ok:
			out += text
		case i < len(p.Toks) && p.Toks[i].Kind == lex.Quasi:
			return out + p.template(i), p.Next(i)
		case p.isDirectory(i):
			out += "."
		default:
			out += "*"
		}
		for i = p.Next(i); p.Op(i) == '.' || p.Op(i) == '(' || p.Op(i) == '[' || p.IsWord(i) && p.Op(i-1) == '.'; {
			i = p.Next(i)
		}
		if i >= len(p.Toks) || p.Op(i) != lex.Other || string(p.Src[p.Toks[i].Start:p.Toks[i].End]) != "+" {
			break
		}
		i++
	}
	return out, i
}

// template returns the text of the template that begins at token i.
func (p *parser) template(i int) string {
	part := func(k lex.Token) string { return strings.TrimRight(string(p.Src[k.Start+1:k.End]), "`${") }
	out := part(p.Toks[i])
	for end := p.Pair(i, i); i < end; {
		if p.isDirectory(i + 1) {
			out += "."
		} else {
			out += "*"
		}
		for i = p.Next(i + 1); i < end && p.Toks[i].Kind != lex.Quasi; {
			i = p.Next(i)
		}
		out += part(p.Toks[min(i, end)])
	}
	return out
}

// isDirectory reports whether token i begins what stands for the directory of the file.
func (p *parser) isDirectory(i int) bool {
	return p.Is(i, "__dirname") || p.Is(i, "import") && p.Is(i+2, "meta") && p.Is(i+4, "dirname")
}

// context records the files of a directory that the call whose parameters begin at token i loads: "./a/* /b/"
// are those in a that match b.
func (p *parser) context(i int) {
	dir, _ := p.text(i + 1)
	all, match := "/**", ""
	for j := i; j < p.Pair(i, i); j++ {
		if p.Is(j, "false") {
			all = "/*"
		}
		if k := p.Toks[j]; k.Kind == lex.Regex {
			match = " " + string(p.Src[k.Start:k.End])
		}
	}
	p.names("./"+path.Join(dir, all)+match, i)
}

// folder makes an import of a computed path that begins with a folder the import of all files that the
// path may be.
func (p *parser) folder(im *lang.Import, i int) {
	text, _ := p.text(i)
	folder, last, computed := strings.Cut(text, "*")
	if im.Spec == "" && computed && strings.HasPrefix(folder, ".") && (strings.Trim(path.Dir(folder+"x"), "./") != "" || path.Ext(last) != "") {
		im.Spec, im.Kind = text, lang.Matching
	}
}

// names records that the file names a file, or all files that match a path with a * in it.
func (p *parser) names(spec string, i int) {
	im := lang.Import{Spec: spec, Kind: lang.Named, Line: p.Line(i)}
	if strings.Contains(spec, "*") {
		im.Kind = lang.Matching
	}
	isNamed := func(o lang.Import) bool { return o.Spec == spec && o.Kind == im.Kind }
	if strings.Trim(spec, "./") == "" || strings.ContainsAny(spec, "\n\r") || p.named == maxNamed || slices.ContainsFunc(p.out.Imports, isNamed) {
		return
	}
	p.named++
	p.out.Imports = append(p.out.Imports, im)
}

// mocks reports whether a function of a test runner of this name takes a module that it replaces or loads.
func mocks(name string) bool {
	switch name {
	case "mock", "unmock", "doMock", "doUnmock", "importActual", "importMock", "requireActual", "requireMock":
		return true
	}
	return false
}

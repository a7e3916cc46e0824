package golang

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// largeFile is the size, in bytes, above which only the imports of a file are read.
const largeFile = 2 << 20

// Scanner scans files.
type Scanner struct{}

// File implements lang.Scanner.
func (Scanner) File(name string, data []byte) lang.Facts {
	data = lang.Decode(data)
	out := lang.Facts{Lines: bytes.Count(data, []byte{'\n'})}
	if n := len(data); n > 0 && data[n-1] != '\n' {
		out.Lines++
	}
	out.ImportsOnly = len(data) > largeFile
	mode := parser.Mode(0)
	if out.ImportsOnly {
		mode |= parser.ImportsOnly
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, mode)
	out.Partial = err != nil
	if file == nil {
		return out
	}
	if file.Name != nil && file.Name.Name != "_" {
		out.Unit = file.Name.Name
	}
	head := data
	if at := fset.Position(file.Package); at.IsValid() {
		head = data[:min(at.Offset, len(data))]
	}
	out.Outside, out.Generated = outside(path.Base(name), data), isGenerated(head)
	r := reading{out: &out, at: fset.File(file.FileStart), test: strings.HasSuffix(name, "_test.go")}
	r.imports(file)
	out.Imports = append(out.Imports, embeds(data)...)
	r.declare(file)
	slices.SortStableFunc(out.Decls, func(a, b lang.Decl) int { return a.Line - b.Line })
	if !out.ImportsOnly {
		r.uses(file)
	}
	return out
}

// reading is the state of reading one file.
type reading struct {
	out  *lang.Facts
	at   *token.File
	test bool
}

// line returns the line of a position, 0 when it is invalid.
func (r *reading) line(p token.Pos) int {
	if !p.IsValid() || int(p) < r.at.Base() || int(p) > r.at.Base()+r.at.Size() {
		return 0
	}
	return r.at.PositionFor(p, false).Line
}

// imports reads the imports: all of a package, under its own name or another.
func (r *reading) imports(file *ast.File) {
	for _, im := range file.Imports {
		spec, err := strconv.Unquote(im.Path.Value)
		if err != nil || spec == "" {
			continue
		}
		local := ""
		if im.Name != nil {
			local = im.Name.Name
		}
		r.out.Imports = append(r.out.Imports, lang.Import{
			Spec: spec, Kind: lang.Static, Line: r.line(im.Pos()),
			Names: []lang.Name{{Imported: lang.Namespace, Local: local}},
		})
	}
}

// embeds reads the go:embed directives.
func embeds(data []byte) []lang.Import {
	const most = 50 // patterns of a file
	mark := []byte("//go:embed ")
	if !bytes.Contains(data, mark) {
		return nil
	}
	var out []lang.Import
	line := 0
	for text := range bytes.Lines(data) {
		line++
		args, ok := bytes.CutPrefix(text, mark)
		if !ok || len(out) >= most {
			continue
		}
		for _, pattern := range strings.Fields(string(args)) {
			if quoted, err := strconv.Unquote(pattern); err == nil {
				pattern = quoted
			}
			out = append(out, lang.Import{Spec: strings.TrimPrefix(pattern, "all:"), Kind: lang.Embedded, Line: line})
		}
	}
	return out
}

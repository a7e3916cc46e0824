package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
)

// The limits of a page of imports, and its initial number of rows.
const (
	pageFiles   = 12_000
	pageImports = 250_000
	firstRows   = 28
)

// CodePage is an interactive page of the imports of a project.
type CodePage struct {
	Graph kota.Graph // of the whole project
	Focus string     // the file selected at first, "" for the whole project
	Depth int        // distance in imports from Focus that is shown, 1 to 5
}

// Bytes returns the page.
func (p *CodePage) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := writePage(&b, "Imports of "+fence.OneLine(p.Graph.Project, 0), "code.html", "code.js", newCodeView(p))
	return b.Bytes(), err
}

// codeView is the data of the template of a page of imports.
type codeView struct {
	Name, Data   string
	Files, Depth int
	Imports      int
	Folded       []string // sentences about what was folded or left out
	Focus        int      // number of the selected file, -1 for none
	Rows         []codeRow
	Arcs         []codeArc
}

// Height is the height of the drawing, in tenths of a row.
func (v *codeView) Height() int { return 10 * len(v.Rows) }

// codeRow is a row of the initial drawing: a file or folder.
type codeRow struct {
	Name         string
	Depth, Files int
	IsFolder     bool
}

// codeArc is a curve at the right of two rows: the imports of one by the other.
type codeArc struct {
	Path   string
	Width  string
	IsBack bool // it leads upwards
}

func newCodeView(p *CodePage) *codeView {
	names, folded := foldFolders(p.Graph.Nodes, pageFiles)
	root := newCodeTree(names)
	v := &codeView{Name: fence.OneLine(p.Graph.Project, 0), Files: len(p.Graph.Nodes), Depth: min(max(p.Depth, 1), 5), Imports: len(p.Graph.Edges), Focus: -1}
	if n := len(folded); n > 0 {
		v.Folded = append(v.Folded, fmt.Sprintf("The page has room for %s files. So the files of %s stand together in one row each.", text.Thousands(pageFiles), text.Count(n, "folder")))
	}
	if left := len(p.Graph.Edges) - pageImports; left > 0 {
		p.Graph.Edges = p.Graph.Edges[:pageImports]
		v.Folded = append(v.Folded, fmt.Sprintf("The page has room for %s imports; %s are left out.", text.Thousands(pageImports), text.Thousands(left)))
	}
	at := make(map[string]*codeNode, len(p.Graph.Nodes))
	root.leaves(func(n *codeNode) {
		for _, file := range names[n.path] {
			at[file] = n
		}
	})
	root.connect(p.Graph.Edges, at)
	root.arrange()
	number := 0
	root.leaves(func(n *codeNode) { n.number, number = number, number+1 })
	root.openMost(firstRows)
	var data strings.Builder
	root.write(&data)
	v.Data = data.String()
	if n := at[p.Focus]; n != nil {
		v.Focus = n.number
	}
	v.draw(root)
	return v
}

// draw computes the rows and curves of the open folders.
func (v *codeView) draw(root *codeNode) {
	row := make(map[*codeNode]int) // the row of a leaf, or of the closed folder that contains it
	var list func(n *codeNode, depth int)
	list = func(n *codeNode, depth int) {
		for _, c := range n.children {
			c.leaves(func(leaf *codeNode) { row[leaf] = len(v.Rows) })
			v.Rows = append(v.Rows, codeRow{c.name, depth, c.files, c.isFolder()})
			if c.isOpen {
				list(c, depth+1)
			}
		}
	}
	list(root, 0)
	counts := make(map[[2]int]int)
	root.leaves(func(n *codeNode) {
		for _, e := range n.imports {
			if a, b := row[n], row[e.to]; a != b {
				counts[[2]int{a, b}]++
			}
		}
	})
	pairs := make([][2]int, 0, len(counts))
	for pair := range counts {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, pair := range pairs {
		v.Arcs = append(v.Arcs, newCodeArc(pair[0], pair[1], counts[pair], len(v.Rows)))
	}
}

// newCodeArc returns the curve for n imports from one row to another in a drawing with the
// given number of rows. The page's script draws the same curve.
func newCodeArc(from, to, n, rows int) codeArc {
	far := math.Abs(float64(to - from))
	reach := 130 * math.Sqrt(far/float64(rows))
	if to < from {
		reach *= 0.85 // keeps the curves of both directions apart
	}
	x := strconv.FormatFloat(reach, 'f', 1, 64)
	a, b := 10*from+5, 10*to+5
	return codeArc{
		Path:   fmt.Sprintf("M0 %dC%s %d %s %d 0 %d", a, x, a, x, b, b),
		Width:  strconv.FormatFloat(1+math.Log2(float64(n))/2, 'f', 1, 64),
		IsBack: to < from,
	}
}

// folderOf returns the folder of a file with a trailing slash, "./" for the root.
func folderOf(file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		return file[:i+1]
	}
	return "./"
}

// foldFolders groups files so that at most limit rows remain. It first merges the files of
// folders, largest first, and then if necessary everything that is deeply nested. It
// returns the files of each row by path, with a trailing slash for folders, and the merged
// folders.
func foldFolders(files []string, limit int) (map[string][]string, []string) {
	var folded []string
	count := make(map[string]int)
	for _, f := range files {
		count[folderOf(f)]++
	}
	dirs := make([]string, 0, len(count))
	for d := range count {
		dirs = append(dirs, d)
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b)) })
	together := make(map[string]bool)
	left := len(files)
	for _, d := range dirs {
		if left <= limit || count[d] < 2 {
			break
		}
		together[d] = true
		left -= count[d] - 1
	}
	stands := func(f string) string {
		if d := folderOf(f); together[d] {
			return d
		}
		return f
	}
	for depth := 12; ; depth-- {
		out := make(map[string][]string)
		for _, f := range files {
			name := stands(f)
			if parts := strings.SplitAfterN(name, "/", depth+1); left > limit && len(parts) > depth {
				name = strings.Join(parts[:depth], "")
			}
			out[name] = append(out[name], f)
		}
		if len(out) > limit && depth > 1 {
			continue
		}
		for name := range out {
			if strings.HasSuffix(name, "/") {
				folded = append(folded, name)
			}
		}
		slices.Sort(folded)
		return out, folded
	}
}

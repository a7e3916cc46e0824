package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/kota"
)

// codeNode is a node of a page of imports: a folder, a file, or a folder whose files are
// merged.
type codeNode struct {
	name, path string // name is the displayed part of path
	parent     *codeNode
	depth      int
	children   []*codeNode
	files      int // number of files inside
	isOpen     bool
	number     int          // of a leaf: its number on the page
	imports    []codeImport // only leaves have any
	// between counts the imports between pairs of a folder's children.
	between map[[2]*codeNode]int
}

// codeImport is an import of another leaf.
type codeImport struct {
	to                 *codeNode
	isTypes, isGuessed bool
}

func (n *codeNode) isFolder() bool { return len(n.children) > 0 }

// newCodeTree builds the tree of the rows of foldFolders.
func newCodeTree(names map[string][]string) *codeNode {
	root := &codeNode{}
	folders := map[string]*codeNode{"": root}
	paths := make([]string, 0, len(names))
	for p := range names {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		at, rest, from := root, p, 0
		for {
			i := strings.IndexByte(rest, '/')
			if i < 0 || i == len(rest)-1 {
				break
			}
			from += i + 1
			next := folders[p[:from]]
			if next == nil {
				next = at.add(&codeNode{name: rest[:i+1], path: p[:from]})
				folders[p[:from]] = next
			}
			at, rest = next, rest[i+1:]
		}
		leaf := at.add(&codeNode{name: rest, path: p, files: len(names[p])})
		for f := at; f != nil; f = f.parent {
			f.files += leaf.files
		}
	}
	root.shorten(0)
	return root
}

func (n *codeNode) add(child *codeNode) *codeNode {
	child.parent = n
	n.children = append(n.children, child)
	return child
}

// shorten merges a folder with its only child into one row, and sets the depth of every
// node.
func (n *codeNode) shorten(depth int) {
	n.depth = depth
	for i, c := range n.children {
		for len(c.children) == 1 {
			only := c.children[0]
			only.name, only.parent = c.name+only.name, n
			c = only
		}
		n.children[i] = c
		c.shorten(depth + 1)
		c.name = cmp.Or(fence.OneLine(c.name, 0), "(blank)")
	}
}

// leaves calls do with every leaf below a node, or with the node if it is a leaf.
func (n *codeNode) leaves(do func(*codeNode)) {
	if !n.isFolder() && n.parent != nil {
		do(n)
	}
	for _, c := range n.children {
		c.leaves(do)
	}
}

// connect sets the imports of leaves, and counts the imports between the children of each
// folder.
func (n *codeNode) connect(edges []kota.GraphEdge, at map[string]*codeNode) {
	known := make(map[[2]*codeNode]int, len(edges))
	for _, e := range edges {
		from, to := at[e.From], at[e.To]
		if from == nil || to == nil || from == to {
			continue
		}
		if i, ok := known[[2]*codeNode{from, to}]; ok {
			im := &from.imports[i]
			im.isTypes, im.isGuessed = im.isTypes && e.TypeOnly, im.isGuessed && e.Inferred
			continue
		}
		known[[2]*codeNode{from, to}] = len(from.imports)
		from.imports = append(from.imports, codeImport{to, e.TypeOnly, e.Inferred})
		from, to = siblings(from, to)
		if from.parent.between == nil {
			from.parent.between = make(map[[2]*codeNode]int)
		}
		from.parent.between[[2]*codeNode{from, to}]++
	}
}

// siblings returns the ancestors of two leaves, or the leaves, that share a parent.
func siblings(a, b *codeNode) (*codeNode, *codeNode) {
	for a.parent != b.parent {
		if a.depth >= b.depth {
			a = a.parent
		} else {
			b = b.parent
		}
	}
	return a, b
}

// arrange orders the children of every folder so that most imports lead downwards. Children
// without imports among them come last.
func (n *codeNode) arrange() {
	const most = 1000 // children to order; larger folders stay in the order of their names
	for _, c := range n.children {
		c.arrange()
	}
	if len(n.between) == 0 || len(n.children) > most {
		return
	}
	o := newImportOrder(n)
	var head, tail, alone []*codeNode
	for i, c := range n.children {
		if o.in[i]+o.out[i] == 0 {
			o.gone[i], alone = true, append(alone, c)
		}
	}
	for len(head)+len(tail)+len(alone) < len(n.children) {
		best := o.best()
		if o.in[best] > 0 && o.out[best] == 0 {
			tail = append(tail, n.children[best])
		} else {
			head = append(head, n.children[best])
		}
		o.remove(best)
	}
	slices.Reverse(tail)
	n.children = slices.Concat(head, tail, alone)
}

// importOrder orders the children of a folder by the heuristic of Eades, Lin and Smyth:
// nodes that nothing remaining imports are placed next, nodes that import nothing remaining
// are placed last, otherwise the node with the largest surplus of imports is next.
type importOrder struct {
	in, out      []int // imports of, and by, each child, among those not placed yet
	next, before [][]weighted
	gone         []bool
}

// weighted is a sibling with a number of imports.
type weighted struct{ at, n int }

func newImportOrder(n *codeNode) *importOrder {
	k := len(n.children)
	o := &importOrder{in: make([]int, k), out: make([]int, k), next: make([][]weighted, k), before: make([][]weighted, k), gone: make([]bool, k)}
	place := make(map[*codeNode]int, k)
	for i, c := range n.children {
		place[c] = i
	}
	for pair, n := range n.between {
		a, b := place[pair[0]], place[pair[1]]
		o.out[a], o.in[b] = o.out[a]+n, o.in[b]+n
		o.next[a], o.before[b] = append(o.next[a], weighted{b, n}), append(o.before[b], weighted{a, n})
	}
	return o
}

// best returns the child to place next, the first one among equals.
func (o *importOrder) best() int {
	best, bestScore := -1, 0
	for i := range o.gone {
		score := o.out[i] - o.in[i]
		if o.in[i] == 0 || o.out[i] == 0 {
			score = math.MaxInt // its place does not depend on the others
		}
		if !o.gone[i] && (best < 0 || score > bestScore) {
			best, bestScore = i, score
		}
	}
	return best
}

func (o *importOrder) remove(i int) {
	o.gone[i] = true
	for _, b := range o.next[i] {
		o.in[b.at] -= b.n
	}
	for _, b := range o.before[i] {
		o.out[b.at] -= b.n
	}
}

// openMost opens folders below a node, largest first, until there are enough rows. It
// leaves folders closed that are small or have too many children.
func (n *codeNode) openMost(rows int) {
	shown := slices.Clone(n.children)
	for count := len(shown); count < rows; {
		best := -1
		for i, c := range shown {
			if c.isFolder() && !c.isOpen && 20*c.files >= n.files && 2*(count+len(c.children)) <= 5*rows && (best < 0 || c.files > shown[best].files) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		shown[best].isOpen = true
		count += len(shown[best].children)
		shown = append(shown, shown[best].children...)
	}
}

// write writes the subtree for the page's script, one line per item. A folder is "d" and
// its name, its contents, then "u". A leaf is "f" and its name, its number of files, and
// the numbers of the leaves that it imports, each with "t" appended when all of these
// imports are type-only and "i" when all are inferred.
func (n *codeNode) write(b *strings.Builder) {
	for _, c := range n.children {
		switch {
		case !c.isFolder():
			b.WriteString("f" + c.name + "\t" + strconv.Itoa(c.files) + "\t")
			for i, im := range c.imports {
				if i > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(strconv.Itoa(im.to.number))
				if im.isTypes {
					b.WriteByte('t')
				} else if im.isGuessed {
					b.WriteByte('i')
				}
			}
			b.WriteByte('\n')
		default:
			b.WriteString("d" + c.name + "\n")
			c.write(b)
			b.WriteString("u\n")
		}
	}
}

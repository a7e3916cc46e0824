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

// codeNode is a folder, a file, or a folder whose files stand together, of a page of
// imports.
type codeNode struct {
	name, path string // name is what is shown of path
	parent     *codeNode
	depth      int
	children   []*codeNode
	files      int // in it
	isOpen     bool
	number     int          // of a leaf, as the page counts them
	imports    []codeImport // of a leaf
	// between counts, of a folder, the imports of a child by another, by their places.
	between map[[2]*codeNode]int
}

// codeImport is an import of another leaf.
type codeImport struct {
	to                 *codeNode
	isTypes, isGuessed bool
}

func (n *codeNode) isFolder() bool { return len(n.children) > 0 }

// newCodeTree makes the tree of the paths that stand for files.
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

// shorten gives folders that hold one thing alone a row with it, and every node its
// depth.
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

// leaves calls do with every leaf below a node, or with the node when it is one.
func (n *codeNode) leaves(do func(*codeNode)) {
	if !n.isFolder() && n.parent != nil {
		do(n)
	}
	for _, c := range n.children {
		c.leaves(do)
	}
}

// connect gives leaves their imports, and folders how often their children import each
// other.
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

// siblings are the nodes above two leaves, or these themselves, that share a parent.
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

// arrange orders the children of every folder so that most imports lead down. What has
// nothing to do with the others comes last.
func (n *codeNode) arrange() {
	const most = 1000 // that are ordered so; more stay in the order of their names
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

// importOrder finds an order of the children of a folder, by the rule of Eades, Lin and
// Smyth: what nothing left imports is next, what imports nothing left is last, and else
// that which imports most and is imported least is next.
type importOrder struct {
	in, out      []int // imports by, and of, what is left
	next, before [][]weighted
	gone         []bool
}

// weighted is another child, with how many imports there are.
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

// best is what is placed next, of equals the first.
func (o *importOrder) best() int {
	best, bestScore := -1, 0
	for i := range o.gone {
		score := o.out[i] - o.in[i]
		if o.in[i] == 0 || o.out[i] == 0 {
			score = math.MaxInt // it is first or last whatever else is left
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

// openMost opens folders below a node, those with most files first, until there are so
// many rows. Small folders stay closed, and so do those with too much in them.
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

// write writes what lies below a node as the page's script reads it, a line for each: a
// folder is "d" with its name, then what is in it, then "u"; a leaf is
// "f" with its name, how many files it stands for, and the numbers of those it
// imports, with "t" behind them when only types are and "i" when that is inferred.
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

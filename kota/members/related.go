package members

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// inherited returns the owner and its ancestors; nil when some of them are outside the project.
func (j *Judge) inherited() map[string]bool {
	family := map[string]bool{j.owner: true}
	whole := true
	j.bases = make(map[string]bool)
	for queue := []string{j.owner}; len(queue) > 0; queue = queue[1:] {
		for _, p := range j.types[queue[0]] {
			is := j.project.Head(p.file, p.decl).Is
			for _, n := range slices.Concat(is.Names, is.Inner) {
				inherits := slices.Contains(is.Names, n) && p.decl.Class != lang.TypeAlias && !transparent(n)
				whole = whole && !(inherits && len(j.types[n]) == 0) // otherwise it inherits from a type of a package
				if inherits && n != j.owner && (queue[0] == j.owner || j.bases[queue[0]]) {
					j.bases[n] = true
				}
				if !family[n] {
					family[n] = true
					queue = append(queue, n)
				}
			}
		}
	}
	if !whole {
		return nil
	}
	return family
}

// isInterface reports whether the owner is an interface: what implements it declares the member again.
func (j *Judge) isInterface() bool {
	return len(j.types[j.owner]) > 0 && j.types[j.owner][0].decl.Class == lang.Interface
}

// relatives lists the declarations of the member in the types that the owner extends or implements, and
// in those that extend or implement it.
func (j *Judge) relatives() (out []place) {
	for _, p := range j.again {
		if in := p.decl.In[strings.LastIndexByte(p.decl.In, '.')+1:]; in != j.owner && (j.bases[in] || j.reaches(j.derived, in)) {
			out = append(out, p)
		}
	}
	return out
}

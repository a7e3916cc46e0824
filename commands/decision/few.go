package decision

import (
	"cmp"
	"fmt"

	"github.com/coctostan/pictx/core/decision/audit"
)

// maxListed is the number of findings of one kind that audit lists unasked. A log
// that anyone can write may cause thousands, and the first of a kind say what is wrong.
const maxListed = 50

// omitted counts the findings of one kind that are not listed.
type omitted struct {
	code, level string
	count       int
}

// few returns the first findings of each kind, and counts the others.
func few(all []audit.Finding) (first []audit.Finding, others []omitted) {
	counts := make(map[omitted]int) // of kinds, whose count is 0
	var cut []omitted
	for _, f := range all {
		kind := omitted{code: f.Code, level: cmp.Or(f.Level, audit.LevelError)}
		counts[kind]++
		switch n := counts[kind]; {
		case n <= maxListed:
			first = append(first, f)
		case n == maxListed+1:
			cut = append(cut, kind)
		}
	}
	for _, kind := range cut {
		others = append(others, omitted{kind.code, kind.level, counts[kind] - maxListed})
	}
	return first, others
}

// String says how many there are, and how to list them.
func (o omitted) String() string {
	return fmt.Sprintf("%s: %d more (--all lists them)", o.code, o.count)
}

// annotation is String as a GitHub workflow command.
func (o omitted) annotation() string {
	return fmt.Sprintf("::%s title=decision %s::%d more (--all lists them)", o.level, o.code, o.count)
}

package kota

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Numbers of direct dependents from which a change is risky.
const (
	manyDependents = 50
	someDependents = 10
)

// Assess sets the risk of a change and the reasons for it. changed is the number of changed files.
func (im *Impact) Assess(changed int) {
	level := 0
	because := func(l int, format string, args ...any) {
		level = max(level, l)
		im.Reasons = append(im.Reasons, fmt.Sprintf(format, args...))
	}
	switch {
	case im.Breaks > 0:
		because(2, "%s", text.CountDoes(int(im.Breaks), "import", "break"))
	case len(im.Clashes) > 0:
		because(1, "%s", text.CountDoes(len(im.Clashes), "name", "clash"))
	}
	risk := 0
	switch {
	case im.Direct > manyDependents:
		risk = 2
	case im.Direct > someDependents || im.Total > manyDependents:
		risk = 1
	}
	others := int(im.Total) - im.Direct
	because(risk, "%s what changed, %d %s it through others", text.CountDoes(im.Direct, "file", "take"), others, text.Does(others, "reach"))
	used := 0
	for _, x := range im.Exports {
		if x.Used > 0 {
			used++
		}
	}
	are := "are"
	if used == 1 || im.Surface == 1 {
		are = "is"
	}
	because(0, "%d of %s %s used elsewhere", used, text.CountPlain(int(im.Surface), "exported name"), are)
	if changed > 0 && im.Total > 0 && im.TestTotal == 0 {
		because(1, "no test reaches it")
	} else if changed > 0 {
		more := int(im.TestTotal) - im.TestDirect
		because(0, "%s it, %d more %s it", text.CountDoes(im.TestDirect, "test", "take"), more, text.Does(more, "reach"))
	}
	im.Risk = [...]string{"low", "medium", "high"}[level]
}

// Uncalled returns a note when methods changed that nothing calls by name: an interface may call
// them.
func (im *Impact) Uncalled() []string {
	var names []string
	for _, x := range im.Exports {
		if x.Used == 0 && strings.Contains(x.Name, ".") && slices.Contains(im.Names, x.Name) {
			names = append(names, x.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"calls through interfaces that the tree does not declare are not counted, of " + strings.Join(names[:min(3, len(names))], ", ")}
}

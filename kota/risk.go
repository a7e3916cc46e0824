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
		because(2, "%s", text.CountDoes(im.Breaks, "import", "break"))
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
	others := im.Total - im.Direct
	switch {
	case im.Total == 0:
		because(0, "nothing uses it")
	case others > 0:
		because(risk, "%s what changed, %d more through others", text.CountDoes(im.Direct, "file", "use"), others)
	default:
		because(risk, "%s what changed", text.CountDoes(im.Direct, "file", "use"))
	}
	if im.Aside > 0 {
		because(0, "%d of them among examples, documentation and the like", im.Aside)
	}
	used := 0
	for _, x := range im.Exports {
		used += min(x.Used, 1)
	}
	if im.Total > 0 && im.Surface > 0 {
		because(0, "%d of %s used", used, text.CountPlain(im.Surface, "exported name"))
	}
	switch {
	case changed > 0 && im.Total > 0 && im.TestTotal == 0:
		because(1, "no test reaches it")
	case changed > 0 && im.TestTotal > 0:
		because(0, "%s to run", text.CountPlain(im.TestTotal, "test"))
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

package summary

import (
	"fmt"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// labelChars is how long the prompt in a label may get.
const labelChars = 90

// Label says what a node is about, for a person: the first prompt in what it covers and how
// many come after it, or the prompt that it goes on with. It is the beginning of its text
// when there was none.
func (v *View) Label(p *PlacedNode) string {
	if label := v.prompts(p.Start, p.End); label != "" {
		return label
	}
	return firstLine(Gist(p.Text), lineChars)
}

// prompts names the prompts among some units.
func (v *View) prompts(start, end int) string {
	if v.Branch == nil || v.Branch.line == nil { // a view that was made by hand, of nodes alone
		return ""
	}
	first, more := "", 0
	for i := start; i < end; i++ {
		switch {
		case v.Branch.Units[i].Message.Role != message.RoleUser:
		case first == "":
			first = v.prompt(i)
		default:
			more++
		}
	}
	switch {
	case more > 0:
		return fmt.Sprintf("%s (and %d more)", first, more)
	case first != "":
		return first
	}
	for i := start - 1; i >= 0; i-- {
		if v.Branch.Units[i].Message.Role == message.RoleUser {
			if before := v.prompt(i); before != "" {
				return "goes on with " + before
			}
		}
	}
	return ""
}

// prompt is the beginning of a unit's text in quotes, "" when it has none.
func (v *View) prompt(unit int) string {
	u := &v.Branch.Units[unit]
	line, err := v.Branch.line(u.Node)
	if err != nil {
		return "" // it is a name, and no reason to show nothing
	}
	said := fence.OneLine(string(u.AppendBody(nil, line)), labelChars)
	if said == "" {
		return ""
	}
	return `"` + said + `"`
}

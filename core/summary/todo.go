package summary

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/fence"
)

// todo is the latest to-do list that the agent wrote with a tool or in text.
type todo struct{ items []todoItem }

type todoItem struct{ text, state string }

// call handles a call of a tool that keeps a to-do list, and reports whether it wrote the list.
// args are all arguments of the call.
func (d *todo) call(tool string, args []byte) bool {
	tool = strings.ToLower(tool)
	if !strings.Contains(tool, "todo") && !strings.Contains(tool, "plan") {
		return false
	}
	items := listOf(args)
	if len(items) > 0 {
		d.items = items
	}
	return len(items) > 0
}

// lines returns the open items after those that are done.
func (d *todo) lines() []string {
	var done, open []string
	for _, it := range d.items {
		switch {
		case it.text == "":
		case it.state == "completed" || it.state == "done":
			done = append(done, "[done] "+it.text)
		case it.state == "deleted" || it.state == "cancelled":
		default:
			open = append(open, fmt.Sprintf("[%s] %s", strings.ReplaceAll(cmp.Or(it.state, "open"), "_", " "), it.text))
		}
	}
	return append(done, open...)
}

// item has the names that tools use for the parts of an item.
type item struct {
	Content, Text, Subject, Title, Step, Task string
	Status, State                             string
	Done, Completed                           bool
}

// todo converts the item for display.
func (it *item) todo() todoItem {
	state := cmp.Or(it.Status, it.State)
	if it.Done || it.Completed {
		state = "done"
	}
	return todoItem{fence.OneLine(cmp.Or(it.Content, it.Text, it.Subject, it.Title, it.Step, it.Task), shortPoint), state}
}

// listOf reads the first list of items among a call's arguments.
func listOf(args []byte) []todoItem {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return nil
	}
	for _, name := range []string{"todos", "items", "tasks", "plan", "steps", "list"} {
		var list []item
		if json.Unmarshal(members[name], &list) != nil {
			continue
		}
		var out []todoItem
		for i := range list {
			out = append(out, list[i].todo())
		}
		return out
	}
	return nil
}

// addFromText takes over the list with check boxes of a response, and reports whether it has
// one.
func (d *todo) addFromText(text string) bool {
	var items []todoItem
	for line := range strings.Lines(text) {
		box, what, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "-*+0123456789.) "), "] ")
		switch {
		case !ok:
		case box == "[ " || box == "[x" || box == "[X":
			items = append(items, todoItem{fence.OneLine(what, shortPoint), map[bool]string{true: "done"}[box != "[ "]})
		}
	}
	if len(items) > 1 {
		d.items = items
	}
	return len(items) > 1
}

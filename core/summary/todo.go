package summary

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
)

// todo is the latest to-do list that the agent wrote with a tool or in text.
type todo struct {
	items []todoItem
	made  bool // built by one call per item
}

type todoItem struct{ text, state string }

// call handles a call of a tool that keeps a to-do list, as a whole or per item, and
// reports whether it changed the list. args are all arguments of the call.
func (d *todo) call(tool string, args []byte) bool {
	tool = strings.ToLower(tool)
	switch {
	case strings.Contains(tool, "todo") || strings.Contains(tool, "plan"):
		items := listOf(args)
		if len(items) > 0 {
			d.items, d.made = items, false
		}
		return len(items) > 0
	case strings.HasSuffix(tool, "taskcreate"):
		if !d.made {
			d.items, d.made = nil, true
		}
		it, _ := itemOf(args)
		d.items = append(d.items, it)
		return true
	case strings.HasSuffix(tool, "taskupdate") && d.made:
		it, n := itemOf(args)
		if n < 1 || n > len(d.items) || it.state == "" {
			return false
		}
		d.items[n-1].state = it.state
		return true
	}
	return false
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
	TaskID                                    json.RawMessage `json:"taskId"`
}

// todo converts the item for display.
func (it *item) todo() todoItem {
	state := cmp.Or(it.Status, it.State)
	if it.Done || it.Completed {
		state = "done"
	}
	return todoItem{fence.OneLine(cmp.Or(it.Content, it.Text, it.Subject, it.Title, it.Step, it.Task), shortPoint), state}
}

// itemOf reads an item from a call's arguments, and its number, 0 without one.
func itemOf(args []byte) (todoItem, int) {
	var it item
	if json.Unmarshal(args, &it) != nil {
		return todoItem{}, 0
	}
	n, err := strconv.Atoi(strings.Trim(string(it.TaskID), `"`))
	if err != nil {
		n = 0
	}
	return it.todo(), n
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
		d.items, d.made = items, false
	}
	return len(items) > 1
}

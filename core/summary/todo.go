package summary

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// todo is the latest to-do list that the agent wrote with a tool or in text.
type todo struct {
	items   []todoItem
	made    bool // built by one call per item
	changed bool // changed since the flag was cleared
}

type todoItem struct{ text, state string }

// call handles a call of a tool that keeps a to-do list, as a whole or per item.
func (d *todo) call(c message.Call) {
	name := strings.ToLower(c.Name)
	switch {
	case strings.Contains(name, "todo") || strings.Contains(name, "plan"):
		if items := listOf(c.Arguments); len(items) > 0 {
			d.items, d.made, d.changed = items, false, true
		}
	case strings.HasSuffix(name, "taskcreate"):
		if !d.made {
			d.items, d.made = nil, true
		}
		it, _ := itemOf(c.Arguments)
		d.items, d.changed = append(d.items, it), true
	case strings.HasSuffix(name, "taskupdate") && d.made:
		it, n := itemOf(c.Arguments)
		d.update(n, it.state)
	}
}

// update changes the state of an item, counted from 1.
func (d *todo) update(n int, state string) {
	if n >= 1 && n <= len(d.items) && state != "" {
		d.items[n-1].state, d.changed = state, true
	}
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

// addFromText takes over the last list of a response that follows a heading like "next
// steps", or that has check boxes.
func (d *todo) addFromText(s *signs, text string) {
	var items []todoItem
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		m := s.item.FindStringSubmatch(line)
		switch {
		case m == nil && line != "":
			open = s.plan.MatchString(line)
		case m != nil && (open || m[1] != ""):
			state := ""
			if strings.EqualFold(m[1], "x") {
				state = "done"
			}
			items = append(items, todoItem{fence.OneLine(m[2], shortPoint), state})
		}
	}
	if len(items) > 1 {
		d.items, d.made, d.changed = items, false, true
	}
}

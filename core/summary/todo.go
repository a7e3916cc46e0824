package summary

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/coctostan/pictx/core/fence"
)

// todoItem is an item of a to-do list that the agent wrote with a tool or in text.
type todoItem struct{ text, state string }

// plan takes over a to-do list, if it is one.
func (x *extractor) plan(items []todoItem) {
	if len(items) > 0 {
		x.todo, x.atPlan = items, len(x.prompts)
	}
}

// todoLines returns the open items after those that are done.
func (x *extractor) todoLines() []string {
	var done, open []string
	for _, it := range x.todo {
		switch {
		case it.text == "":
		case it.state == "completed" || it.state == "done":
			done = append(done, "[done] "+it.text)
		case it.state == "deleted" || it.state == "cancelled":
		default:
			open = append(open, "["+strings.ReplaceAll(cmp.Or(it.state, "open"), "_", " ")+"] "+it.text)
		}
	}
	return append(done, open...)
}

// calledTodo returns the list that a call writes if its tool keeps a to-do list: the first
// list among its arguments.
func calledTodo(tool string, args []byte) (out []todoItem) {
	tool = strings.ToLower(tool)
	var members map[string]json.RawMessage
	if !strings.Contains(tool, "todo") && !strings.Contains(tool, "plan") || json.Unmarshal(args, &members) != nil {
		return nil
	}
	for _, name := range []string{"todos", "items", "tasks", "plan", "steps", "list"} {
		var list []struct { // the names that tools use for the parts of an item
			Content, Text, Subject, Title, Step, Task string
			Status, State                             string
			Done, Completed                           bool
		}
		if json.Unmarshal(members[name], &list) != nil {
			continue
		}
		for _, it := range list {
			state := cmp.Or(it.Status, it.State)
			if it.Done || it.Completed {
				state = "done"
			}
			what := cmp.Or(it.Content, it.Text, it.Subject, it.Title, it.Step, it.Task)
			out = append(out, todoItem{fence.OneLine(what, shortPoint), state})
		}
		return out
	}
	return nil
}

// saidTodo returns the list with several check boxes in a response.
func saidTodo(text string) (out []todoItem) {
	for line := range strings.Lines(text) {
		box, what, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "-*+0123456789.) "), "] ")
		if state, known := map[string]string{"[ ": "", "[x": "done", "[X": "done"}[box]; ok && known {
			out = append(out, todoItem{fence.OneLine(what, shortPoint), state})
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

package decisions

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
)

// verb is a subcommand of /decision.
type verb struct {
	name, takes, does string
	// picks is set when it is about one decision, which is asked for when it is missing.
	picks bool
	// words maps words to flags of the command.
	words map[string]string
	// preview is the command that shows what it would do before it asks; "" for one that
	// does not ask. The verb itself is run with --dry-run.
	preview string
}

// The verbs that do more than run a command.
const (
	verbAdd       = "add"
	verbAccept    = "accept"
	verbSupersede = "supersede"
	verbConflict  = "conflict"
	verbAudit     = "audit"
	verbImport    = "import"
)

// verbs returns the subcommands of /decision.
func verbs() []verb {
	all := map[string]string{"all": "--all"}
	for _, s := range decision.Statuses() {
		all[string(s)] = "--status=" + string(s)
	}
	where := map[string]string{"project": "--project", "everywhere": "--global"}
	fix := map[string]string{"fix": "--fix"}
	return []verb{
		{name: "list", takes: "[all | draft | rejected]", does: "list the active ones, or others", words: all},
		{name: "show", takes: "ID", does: "show everything about one", picks: true},
		{name: "search", takes: "WORDS", does: "find decisions"},
		{name: verbAdd, takes: "TEXT", does: "add one"},
		{name: "draft", takes: "TEXT", does: "propose one"},
		{name: verbAccept, takes: "ID", does: "accept a draft", picks: true},
		{name: "reject", takes: "ID", does: "reject a draft", picks: true},
		{name: "edit", takes: "ID TEXT", does: "change the text of one"},
		{name: "reason", takes: "ID TEXT", does: "say why it was decided"},
		{name: "tag", takes: "ID TAG", does: "tag one"},
		{name: verbSupersede, takes: "[ID TEXT]", does: "replace one with another"},
		{name: "remove", takes: "ID", does: "remove one", picks: true, preview: "show"},
		{name: verbConflict, takes: "[ID ID]", does: "mark two as conflicting"},
		{name: "resolve", takes: "ID STATUS", does: "settle the conflicts of one"},
		{name: "history", takes: "[ID]", does: "list what was changed"},
		{name: "blame", takes: "ID", does: "show which commits changed one", picks: true},
		{name: "diff", takes: "[REF..REF]", does: "show what was decided in between"},
		{name: "context", does: "show what the agent is shown"},
		{name: "status", does: "show where they are, and how many"},
		{name: "enable", takes: "project | everywhere", does: "switch decisions on", words: where},
		{name: "disable", takes: "project | everywhere", does: "switch decisions off", words: where},
		{name: verbAudit, takes: "[fix]", does: "check them, and repair the log", words: fix, preview: verbAudit},
		{name: "doctor", takes: "[fix]", does: "the same; any warning counts", words: fix, preview: verbAudit},
		{name: "purge", takes: "[redact]", does: "remove what is old and not active", words: map[string]string{"redact": "--redact"}, preview: "purge"},
		{name: "reset", does: "remove all decisions", preview: "reset"},
		{name: "clear", does: "remove all decisions", preview: "clear"},
		{name: "export", does: "show all as JSON"},
		{name: verbImport, takes: "PATH", does: "add records; accepted ones become active", preview: verbImport},
		{name: "init", takes: "[driver]", does: "prepare a repository", words: map[string]string{"driver": "--driver"}, preview: "init"},
	}
}

// verbOf returns the verb with a name. An unknown one is for the command to refuse.
func verbOf(name string) verb {
	all := verbs()
	if i := slices.IndexFunc(all, func(v verb) bool { return v.name == name }); i >= 0 {
		return all[i]
	}
	return verb{}
}

// about lists the decisions that a verb is likely used on.
func (v verb) about(state *decision.State) []*decision.Decision {
	to, settles := map[string]decision.Status{"accept": decision.Active, "reject": decision.Rejected}[v.name]
	if !settles {
		return append(state.Present(), state.Contested()...)
	}
	if drafts := state.With(decision.Draft); len(drafts) > 0 {
		return drafts
	}
	return slices.DeleteFunc(state.Present(), func(d *decision.Decision) bool { return d.Status == to })
}

// flag returns the flag that a word stands for, or the word.
func (v verb) flag(word string) string {
	for _, w := range []string{word, strings.TrimSuffix(word, "s")} {
		if flag := v.words[w]; flag != "" {
			return flag
		}
	}
	return word
}

package decisions

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
)

// verb is a subcommand of /decision.
type verb struct {
	name, takes, does string
	// asks is set when it asks for the words that are missing.
	asks bool
	// flags maps words to flags of the command.
	flags map[string]string
}

// verbs returns the subcommands of /decision.
func verbs() []verb {
	all := map[string]string{"all": "--all"}
	for _, s := range decision.Statuses() {
		all[string(s)] = "--status=" + string(s)
	}
	where := map[string]string{"project": "--project", "everywhere": "--global"}
	fix := map[string]string{"fix": "--fix"}
	return []verb{
		{name: "list", takes: "[all | draft | rejected]", does: "list the active ones, or others", flags: all},
		{name: "show", takes: "ID", does: "show everything about one", asks: true},
		{name: "search", takes: "WORDS", does: "find decisions"},
		{name: "add", takes: "TEXT", does: "add one"},
		{name: "draft", takes: "TEXT", does: "propose one"},
		{name: "accept", takes: "ID", does: "accept a draft", asks: true},
		{name: "reject", takes: "ID", does: "reject a draft", asks: true},
		{name: "edit", takes: "ID TEXT", does: "change the text of one"},
		{name: "reason", takes: "ID TEXT", does: "say why it was decided"},
		{name: "tag", takes: "ID TAG", does: "tag one"},
		{name: "supersede", takes: "[ID TEXT]", does: "replace one with another", asks: true},
		{name: "remove", takes: "ID", does: "remove one", asks: true},
		{name: "conflict", takes: "[ID ID]", does: "mark two as conflicting", asks: true},
		{name: "resolve", takes: "ID STATUS", does: "settle the conflicts of one"},
		{name: "history", takes: "[ID]", does: "list what was changed"},
		{name: "blame", takes: "ID", does: "show which commits changed one", asks: true},
		{name: "diff", takes: "[REF..REF]", does: "show what was decided in between"},
		{name: "context", does: "show what the agent is shown"},
		{name: "status", does: "show where they are, and how many"},
		{name: "enable", takes: "project | everywhere", does: "switch decisions on", flags: where},
		{name: "disable", takes: "project | everywhere", does: "switch decisions off", flags: where},
		{name: "audit", takes: "[fix]", does: "check them, and repair the log", flags: fix},
		{name: "doctor", takes: "[fix]", does: "the same; any warning counts", flags: fix},
		{name: "purge", takes: "[redact]", does: "remove what is old and not active", flags: map[string]string{"redact": "--redact"}},
		{name: "reset", does: "remove all decisions"},
		{name: "clear", does: "remove all decisions"},
		{name: "export", does: "show all as JSON"},
		{name: "import", takes: "PATH", does: "add records; accepted ones become active"},
		{name: "init", takes: "[driver]", does: "prepare a repository", flags: map[string]string{"driver": "--driver"}},
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

// words returns what the words after its name are.
func (v verb) words() []string { return strings.Fields(strings.Trim(v.takes, "[]")) }

// lacks reports whether it asks for words that are missing. Given a flag, it runs unchanged.
func (v verb) lacks(args []string) bool {
	flag := func(w string) bool { return strings.HasPrefix(w, "-") }
	return v.asks && len(args) <= len(v.words()) && !slices.ContainsFunc(args, flag)
}

// about lists the decisions that a verb is likely used on.
func (v verb) about(state *decision.State) []*decision.Decision {
	to := decision.Active
	switch v.name {
	case "supersede", "conflict":
		return state.With(decision.Active)
	case "reject":
		to = decision.Rejected
	case "accept":
	default:
		return state.Listed()
	}
	if drafts := state.With(decision.Draft); len(drafts) > 0 {
		return drafts
	}
	return slices.DeleteFunc(state.Present(), func(d *decision.Decision) bool { return d.Status == to })
}

// flag returns the flag that a word stands for, or the word.
func (v verb) flag(word string) string {
	for _, w := range []string{word, strings.TrimSuffix(word, "s")} {
		if flag := v.flags[w]; flag != "" {
			return flag
		}
	}
	return word
}

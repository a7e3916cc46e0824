package decisions

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// verb is a subcommand of /decision.
type verb struct {
	name, takes, does string
	// least is the minimum number of arguments. The first ids arguments are ids; allIDs
	// means all of them.
	least, ids int
	// options maps words to flags of the command.
	options map[string]string
}

// allIDs says that every argument is an id.
const allIDs = 1 << 10

// decisionVerbs returns the subcommands of /decision.
func decisionVerbs() []verb {
	all := map[string]string{"all": "--all"}
	for _, s := range []decision.Status{decision.Active, decision.Draft, decision.Rejected, decision.Superseded} {
		all[string(s)] = "--status=" + string(s)
	}
	where := map[string]string{"project": "--project", "everywhere": "--global"}
	return []verb{
		{name: "list", takes: "[all | draft | rejected | superseded]", does: "list the active decisions, or others", options: all},
		{name: "show", takes: "ID", does: "show everything about one", least: 1, ids: allIDs},
		{name: "search", takes: "WORDS", does: "find decisions", least: 1},
		{name: "add", takes: "TEXT", does: "add a decision", least: 1},
		{name: "draft", takes: "TEXT", does: "propose a decision", least: 1},
		{name: "accept", takes: "ID", does: "accept a draft", least: 1, ids: allIDs},
		{name: "reject", takes: "ID", does: "reject a draft", least: 1, ids: allIDs},
		{name: "edit", takes: "ID TEXT", does: "change the text of one", least: 2, ids: 1},
		{name: "reason", takes: "ID TEXT", does: "say why it was decided", least: 2, ids: 1},
		{name: "tag", takes: "ID TAG", does: "tag one", least: 2, ids: 1},
		{name: verbSupersede, takes: "[ID TEXT]", does: "replace one with another", ids: 1},
		{name: "remove", takes: "ID", does: "remove one", least: 1, ids: 1},
		{name: verbConflict, takes: "[ID ID]", does: "mark two as conflicting", ids: 2},
		{name: "resolve", takes: "ID STATUS", does: "settle the conflicts of one", least: 2, ids: 1},
		{name: "history", takes: "[ID]", does: "list what was changed", ids: 1},
		{name: "blame", takes: "ID", does: "show which commits changed one", least: 1, ids: 1},
		{name: "diff", takes: "[REF..REF]", does: "show what was decided between two commits"},
		{name: "context", does: "show what the agent is shown"},
		{name: "status", does: "show where decisions are stored, and how many"},
		{name: "enable", takes: "project | everywhere", does: "switch decisions on", least: 1, options: where},
		{name: "disable", takes: "project | everywhere", does: "switch decisions off", least: 1, options: where},
		{name: "audit", takes: "[fix]", does: "check the decisions and the log, and repair it", options: map[string]string{"fix": "--fix"}},
		{name: "doctor", takes: "[fix]", does: "the same, and any warning counts", options: map[string]string{"fix": "--fix"}},
		{name: "purge", takes: "[redact]", does: "remove old drafts, rejected and superseded ones", options: map[string]string{"redact": "--redact"}},
		{name: "reset", does: "remove all decisions"},
		{name: "clear", does: "remove all decisions"},
		{name: "export", does: "show all as JSON"},
		{name: "import", takes: "PATH", does: "add what a file lists as drafts", least: 1},
		{name: "init", takes: "[driver] [retention]", does: "prepare a repository", options: map[string]string{"driver": "--driver", "retention": "--retention"}},
		{name: "help", takes: "[WORD]", does: "explain a word"},
	}
}

// verbOf returns the verb with a name, nil for an unknown one.
func verbOf(name string) *verb {
	all := decisionVerbs()
	if i := slices.IndexFunc(all, func(v verb) bool { return v.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// usage returns the usage line of a verb.
func (v *verb) usage() string {
	return strings.TrimRight("/decision "+v.name+" "+v.takes, " ") + ": " + v.does + "."
}

// needs returns what a verb takes beyond the given number of words.
func (v *verb) needs(given int) string {
	if strings.Contains(v.takes, "|") {
		return strings.ReplaceAll(v.takes, " | ", " or ")
	}
	var names []string
	for _, word := range strings.Fields(v.takes)[given:] {
		name := strings.ToLower(word)
		switch name {
		case "id":
			name = "the id of a decision"
		case "words":
		default:
			name = "a " + name
		}
		names = append(names, name)
	}
	return strings.Join(names, " and ")
}

// about lists the decisions that a verb is likely used on.
func (v *verb) about(state *decision.State) []*decision.Decision {
	to, settles := map[string]decision.Status{"accept": decision.Active, "reject": decision.Rejected}[v.name]
	if !settles {
		return state.Present()
	}
	if drafts := state.With(decision.Draft); len(drafts) > 0 {
		return drafts
	}
	return slices.DeleteFunc(state.Present(), func(d *decision.Decision) bool { return d.Status == to })
}

// idsOf returns the ids among the arguments of a verb.
func (v *verb) idsOf(words []string) []string {
	var out []string
	for _, w := range words {
		if !strings.HasPrefix(w, "-") && len(out) < v.ids {
			out = append(out, w)
		}
	}
	return out
}

// flags replaces words by the flags that they stand for.
func (v *verb) flags(args []string) []string {
	for i, w := range args[1:] {
		if flag := v.options[strings.TrimSuffix(w, "s")]; flag != "" {
			args[i+1] = flag
		} else if flag := v.options[w]; flag != "" {
			args[i+1] = flag
		}
	}
	return args
}

// overview returns the output of /decision without arguments: the number of decisions and
// the available actions, on one screen.
func (s System) overview(c *hooks.Call) string {
	const words = `/decision list [all]           list the active ones, or all
/decision show ID              show one; the last four characters of an ID do
/decision search WORDS         find some
/decision add TEXT             add one; draft TEXT proposes it
/decision reason ID TEXT       say why it was decided
/decision accept ID            accept a draft; reject ID rejects it
/decision edit ID TEXT         change one; tag ID TAG tags it
/decision supersede            replace one with another
/decision conflict             mark two as conflicting; resolve ID STATUS
/decision remove ID            remove one
/decision disable, enable      whether the agent is shown them
Also: audit, blame, context, diff, doctor, export, history, import, init,
purge, reset, status. /decision help WORD explains a word.`
	return s.waiting(c) + "\n" + words
}

// waiting says how many decisions there are, and how many await the user.
func (s System) waiting(c *hooks.Call) string {
	state, err := s.state(c)
	if err != nil {
		return "The decisions of this project cannot be read: /decision audit."
	}
	n := state.Counts()
	if len(state.Present()) == 0 {
		return "There are no decisions in this project yet."
	}
	said := text.CountPlain(n[decision.Active], "active decision")
	if d := n[decision.Draft]; d > 0 {
		said += ", " + text.CountPlain(d, "draft") + " to accept or reject"
	}
	return said + "."
}

// noneActive says what there is instead of active decisions, and what to type next.
func (s System) noneActive(c *hooks.Call) string {
	if state, err := s.state(c); err == nil && len(state.Present()) == 0 {
		return s.waiting(c) + " /decision add TEXT adds one."
	}
	return s.waiting(c) + " /decision list all shows them all."
}

// unknown rejects an unknown word and suggests a similar one.
func unknown(name string) string {
	var names []string
	for _, v := range decisionVerbs() {
		names = append(names, v.name)
	}
	said := "/decision does not know " + text.LogLine(name) + "."
	if near := text.Closest(name, names, 2); near != "" {
		return said + " Did you mean " + verbOf(near).usage()
	}
	return said + " /decision alone lists what it can do."
}

// wrongID says what is wrong with the ids after a verb, "" for nothing. The command itself
// complains about an unreadable log.
func (s System) wrongID(c *hooks.Call, v *verb, words []string) string {
	ids := v.idsOf(words)
	if len(ids) == 0 {
		return ""
	}
	state, err := s.state(c)
	if err != nil {
		return ""
	}
	for _, id := range ids {
		var several *decision.AmbiguousError
		var near []*decision.Decision
		said := ""
		switch _, err := state.Find(id); {
		case err == nil:
			continue
		case errors.As(err, &several):
			said, near = "Several decisions have an id like "+text.LogLine(id)+":", several.Candidates
		default:
			said, near = "There is no decision "+text.LogLine(id)+".", dialog.Near(state, id)
			if len(near) > 0 {
				said += " Near:"
			}
		}
		for _, d := range near[:min(len(near), 10)] {
			said += "\n  " + d.Brief()
		}
		return said
	}
	return ""
}

// empty returns the message for a command without output.
func empty(args []string) string {
	switch {
	case args[0] == "list":
		return "There is no such decision."
	case args[0] == "search":
		return "No decision matches " + text.LogLine(strings.Join(args[1:], " ")) + "."
	case args[0] == "context":
		return "The agent sees no decisions."
	}
	return "There is nothing to show."
}

// shellFlags replaces flags in hints by the words of /decision.
var shellFlags = strings.NewReplacer(
	" --yes", "", " --fix", " fix", " --redact", " redact", " --driver", " driver", " --retention", " retention",
	" --all", " all", " --status ", " ", " --global", " everywhere", " --project", " project",
)

// askedFor matches arguments in a hint that a dialog asks for when they are omitted.
const askedFor = ` TEXT --reason ('[^']*'|WHY)`

// inPi rewords the output of a command for pi: its hints name what can be typed there.
// Other lines may quote what people wrote and stay unchanged.
func inPi(printed string, args []string) string {
	var out []string
	for _, line := range strings.Split(printed, "\n") {
		if hint, ok := strings.CutPrefix(line, "hint: "); ok {
			line = hintInPi(hint, args)
		} else if fix, ok := strings.CutPrefix(line, "  fix: "); ok {
			line = "  fix: " + hintInPi(fix, args)
		} else if flag, ok := strings.CutPrefix(line, "unknown flag: "); ok {
			line = "There is no option " + flag + "."
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// hintInPi rewords a hint for pi.
func hintInPi(hint string, args []string) string {
	name := args[0]
	switch v := verbOf(name); {
	case strings.HasSuffix(hint, " --yes") && strings.HasPrefix(hint, "pictx decision "+name): // nobody was there to be asked
		return "in a shell: " + hint
	case strings.HasSuffix(hint, "--help") && v != nil:
		return v.usage()
	case strings.HasPrefix(hint, "--"):
		return "in a shell: pictx decision " + name + " " + hint
	case !strings.Contains(hint, "pictx decision "):
		return hint
	}
	words := shellFlags.Replace(regexp.MustCompile(askedFor).ReplaceAllString(strings.ReplaceAll(hint, "pictx decision ", "/decision "), ""))
	if strings.Contains(words, "--") {
		return "in a shell: " + hint
	}
	return words
}

package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/must"
)

// dialogReply is a reply that may ask.
type dialogReply struct {
	Ask []struct {
		ID, Kind, Title string
		Options         []struct {
			Value, Label string
			Selected     bool
		}
	}
	State  json.RawMessage
	Result struct{ Text string }
}

// dialog runs a command and answers what it asks, one question after the other; nil is
// a dialog that was closed. It returns the titles, and what was said at the end.
func (p *piAgent) dialog(args string, answers ...any) (titles []string, said string) {
	p.t.Helper()
	return p.asks("command", "", map[string]any{"name": "decision", "args": args}, answers...)
}

// asks is dialog for any event.
func (p *piAgent) asks(event, leaf string, payload any, answers ...any) (titles []string, said string) {
	p.t.Helper()
	var more []any
	for {
		var r dialogReply
		text := p.once(event, p.request(event, leaf, payload, more...))
		parseReply(p.t, text)
		must.Do(p.t, json.Unmarshal([]byte(text), &r))
		if len(r.Ask) == 0 {
			if len(answers) > 0 {
				p.t.Fatalf("nobody wants the answers %v: %s", answers, text)
			}
			return titles, r.Result.Text
		}
		if len(r.Ask) > 1 || len(answers) == 0 {
			p.t.Fatalf("it asks %s", text)
		}
		titles = append(titles, r.Ask[0].Title)
		for _, o := range r.Ask[0].Options {
			if o.Selected {
				titles = append(titles, "chosen: "+o.Label)
			}
		}
		reply := map[string]any{"id": r.Ask[0].ID, "value": answers[0]}
		if answers[0] == nil {
			reply = map[string]any{"id": r.Ask[0].ID, "cancelled": true}
		}
		if begin, ok := answers[0].(labelled); ok {
			reply["value"] = ""
			for _, o := range r.Ask[0].Options {
				if strings.Contains(o.Label, string(begin)) {
					reply["value"] = o.Value
					if r.Ask[0].Kind == "multiselect" {
						reply["value"] = []string{o.Value}
					}
				}
			}
		}
		answers, more = answers[1:], []any{"replies", []any{reply}, "state", r.State}
	}
}

// labelled chooses the option with these words.
type labelled string

// decided are the decisions of the project: status and text, and those in conflict.
func (p *piAgent) decided() (all, conflicts []string) {
	p.t.Helper()
	_, out := p.shell("decision", "list", "--all", "--json")
	for line := range strings.Lines(out) {
		var d struct {
			Status, Text string
			Conflicts    []json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			p.t.Fatalf("%v: %s", err, line)
		}
		all = append(all, d.Status+" "+d.Text)
		if len(d.Conflicts) > 0 {
			conflicts = append(conflicts, d.Text)
		}
	}
	slices.Sort(all)
	slices.Sort(conflicts)
	return all, conflicts
}

// withDecisions is an agent in a project with three decisions.
func withDecisions(t *testing.T) *piAgent {
	p := newAgent(t)
	for _, text := range []string{"Use tabs", "Store money in cents", "Build with make"} {
		if code, _ := p.shell("decision", "add", text, "--force"); code != 0 {
			t.Fatal(code)
		}
	}
	return p
}

func TestSupersedeAsksForWhatItWasNotTold(t *testing.T) {
	t.Parallel()
	which, text, why := labelled("Use tabs"), "Use - two spaces", "--the formatter does"
	for name, c := range map[string]struct {
		words   func(id string) string
		answers []any
		want    bool
	}{
		"nothing":               {func(string) string { return "" }, []any{which, text, why}, true},
		"which one":             {func(id string) string { return " " + id }, []any{text, why}, true},
		"which one, and a text": {func(id string) string { return " " + strings.ToLower(id) + " " + text }, []any{why}, true},
		"all":                   {func(id string) string { return " " + id + " " + text + " --reason=x" }, nil, true},
		"closed at once":        {func(string) string { return "" }, []any{nil}, false},
		"closed at the text":    {func(string) string { return "" }, []any{which, nil}, false},
		"no reason":             {func(string) string { return "" }, []any{which, text, "  "}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := withDecisions(t)
			_, out := p.shell("decision", "list", "--json")
			var id string
			for line := range strings.Lines(out) {
				var d struct{ ID, Text string }
				if json.Unmarshal([]byte(line), &d) == nil && d.Text == "Use tabs" {
					id = d.ID
				}
			}
			titles, said := p.dialog("supersede"+c.words(id), c.answers...)
			want := []string{"active Build with make", "active Store money in cents", "active Use tabs"}
			if c.want {
				want = []string{"active Build with make", "active Store money in cents", "active " + text, "superseded Use tabs"}
			} else if said != "Nothing was changed." {
				t.Errorf("it says %q", said)
			}
			all, _ := p.decided()
			must.Not(t, !slices.Equal(all, want), "%q, after %q: %s", all, titles, said)
			for _, title := range titles[min(1, len(titles)):] {
				must.Contain(t, title, id, "the question")
			}
		})
	}
}

func TestALongTextIsNotLostInADialog(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	for of, text := range map[labelled]string{"Use tabs": strings.Repeat("\n\"", 890), "Store money": strings.Repeat("ä", 1790)} {
		titles, said := p.dialog("supersede", of, text, "why not")
		must.Not(t, len(titles) != 3 || strings.Contains(said, "internal error"), "%q: %s", titles, said)
	}
	_, said := p.dialog("supersede", labelled("Build with make"), strings.Repeat("\x01", 900))
	must.Not(t, !strings.Contains(said, "too long for a dialog"), "%s", said)
}

func TestConflictAsksWhichTwo(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	_, said := p.dialog("conflict", labelled("Use tabs"), nil)
	must.Not(t, said != "Nothing was changed.", "closed: %s", said)
	// The first cannot be chosen for the second.
	_, said = p.dialog("conflict", labelled("Use tabs"), labelled("Use tabs"))
	must.Not(t, said != "Nothing was changed.", "with itself: %s", said)
	titles, said := p.dialog("conflict", labelled("Use tabs"), labelled("Build with make"))
	must.Not(t, len(titles) != 2 || !strings.Contains(titles[1], "Use tabs"), "it asks %q", titles)
	_, conflicts := p.decided()
	must.Not(t, !slices.Equal(conflicts, []string{"Build with make", "Use tabs"}), "in conflict are %q: %s", conflicts, said)
}

func TestADialogNeedsDecisionsToChooseFrom(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	for _, verb := range []string{"supersede", "conflict"} {
		if _, said := p.dialog(verb); said != "There is no decision to choose." {
			t.Errorf("%s: %s", verb, said)
		}
		if _, said := p.dialog(verb + " D-none"); !strings.Contains(said, "D-none") {
			t.Errorf("%s of an unknown one: %s", verb, said)
		}
	}
	p.config("decisions.enabled = false\n")
	_, said := p.dialog("supersede")
	must.Not(t, !strings.Contains(said, "ecisions are off"), "off: %s", said)
}

func TestDecisionTakesPlainWordsInPi(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	p.shell("decision", "draft", "Write tests first")
	for args, want := range map[string]string{
		"":                     "3 active decisions, 1 draft to accept or reject.\n/decision list [all",
		"help":                 "/decision add TEXT ",
		"lst":                  "lst",
		"show D-none":          "there is no D-none",
		"edit zzzz Use spaces": "there is no zzzz",
		"add":                  "missing argument: usage is pictx decision add TEXT",
		"list draft":           "Write tests first",
		"list all":             "Use tabs",
		"search nonsense":      "none of 4 decisions matches",
		"list --frobnicate":    "frobnicate",
		"enable":               "want --global or --project",
		"import nowhere.md":    "nowhere.md",
	} {
		_, said := p.dialog(args)
		must.Contain(t, said, want, "/decision %s", args)
		for line := range strings.Lines(said) {
			if args == "" && utf8.RuneCountInString(line) > 79 { // with its end
				t.Errorf("/decision %s: %q is too long", args, line)
			}
		}
	}
}

func TestAMissingDecisionIsAskedFor(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	titles, said := p.dialog("remove", labelled("Use tabs"), true)
	must.Not(t, len(titles) != 2 || !strings.Contains(said, "removed D-"), "%q: %s", titles, said)
	_, out := p.shell("decision", "list")
	must.Not(t, strings.Contains(out, "Use tabs"), "it is still there: %s", out)
	_, said = p.dialog("show", labelled("Build with make"))
	must.Not(t, !strings.Contains(said, "Build with make"), "show: %s", said)
	_, said = p.dialog("show", nil)
	must.Not(t, said != "Nothing was changed.", "closed: %s", said)
}

func TestWhatCannotBeUndoneIsConfirmedInPi(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	const name = ".pi/decision-memory/decisions.jsonl"
	log := string(must.Get(os.ReadFile(filepath.Join(p.project, name)))(t))
	p.put(p.project, name, log+strings.SplitAfter(log, "\n")[0]) // a line twice
	for _, c := range [][2]string{
		{"audit fix", "mended 1 finding"}, {"init", "wrote 1 file"}, {"remove", "removed D-"}, {"purge redact", "redacted 1 line"}, {"reset", "purged 2 decisions"},
	} {
		answers := []any{false}
		if c[0] == "remove" {
			answers = []any{labelled("Use tabs"), false}
		}
		titles, said := p.dialog(c[0], answers...)
		must.Not(t, len(titles) != len(answers) || said != "Nothing was changed.", "/decision %s: it asks %q and says %s", c[0], titles, said)
		answers[len(answers)-1] = true
		_, said = p.dialog(c[0], answers...)
		must.Contain(t, said, c[1], "/decision %s", c[0])
	}
}

func TestOnlyDecisionsThatCanBeAcceptedAreOfferedForThat(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	if titles, said := p.dialog("accept"); len(titles) > 0 || strings.Contains(said, "already") {
		t.Errorf("all are active: %q, %s", titles, said)
	}
	p.dialog("reject", labelled("Use tabs"))
	_, said := p.dialog("accept", labelled("Use tabs"))
	must.Not(t, !strings.Contains(said, "active") || strings.Contains(said, "already"), "one was rejected: %s", said)
}

// Nothing becomes active past an active decision that it contradicts, whichever way it comes.
func TestEveryWayIntoTheLogAsksTheSameQuestion(t *testing.T) {
	t.Parallel()
	const body = "Never use tabs"
	others := []string{"active Build with make", "active Store money in cents"}
	for answer, c := range map[labelled]struct {
		more      []any
		want      []string
		conflicts int
	}{
		"Neither":       {nil, []string{"active Never use tabs", "active Use tabs"}, 0},
		"replace that":  {[]any{labelled("Use tabs"), "editors"}, []string{"active Never use tabs", "superseded Use tabs"}, 0},
		"keep both":     {[]any{labelled("Use tabs")}, []string{"active Never use tabs", "active Use tabs"}, 2},
		"says the same": {[]any{labelled("Use tabs")}, []string{"active Never use tabs"}, 0},
		"Cancel":        {nil, []string{"active Use tabs"}, 0},
	} {
		for _, way := range []string{"add", "accept", "capture"} {
			p := withDecisions(t)
			answers := append([]any{answer}, c.more...)
			want := append(slices.Clone(others), c.want...)
			var titles []string
			switch way {
			case "add":
				titles, _ = p.dialog("add "+body, answers...)
			case "accept":
				p.shell("decision", "add", "--draft", body)
				titles, _ = p.dialog("accept", append([]any{labelled(body)}, answers...)...)
				titles = titles[1:]
				if answer == "Cancel" {
					want = append(want, "draft "+body)
				}
			case "capture":
				titles, _ = p.asks("agent_end", p.marked("Decision: "+body), map[string]any{}, append([]any{labelled(body)}, answers...)...)
				titles = titles[1:]
			}
			slices.Sort(want)
			all, conflicts := p.decided()
			if len(titles) != len(answers) || !strings.HasPrefix(titles[0], "Does it contradict one of these, or say the same?\nnew: "+body+"\nD-") {
				t.Errorf("%s, %s: it asks %q", way, answer, titles)
			}
			must.Not(t, !slices.Equal(all, want) || len(conflicts) != c.conflicts, "%s, %s: %q, in conflict %q", way, answer, all, conflicts)
		}
	}
}

func TestAFolderOfAcceptedRecordsArrivesWithOneConfirmation(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	p.put(p.project, "adr/0001-a.md", "# A\n\n## Status\n\n✅ Accepted\n\n## Decision\n\nUse spaces\n")
	p.put(p.project, "adr/0002-b.md", "# B\n\n## Status\n\nRejected\n\n## Decision\n\nUse Bazel\n")
	p.put(p.project, "adr/notes.md", "No record.\n")
	p.dialog("import adr", labelled("Neither"))
	all, _ := p.decided()
	must.Not(t, !slices.Contains(all, "active Use spaces") || !slices.Contains(all, "rejected Use Bazel"), "%q", all)
}

// Whoever begins a log in pi needs no question about it.
func TestTheFirstDecisionOfAProjectNeedsNoTrust(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	yes := true
	p.trusted = &yes
	p.dialog("add Use tabs")
	shown := p.once("before_agent_start", p.request("before_agent_start", "", map[string]any{"prompt": "Hi", "systemPromptHash": "h"}))
	must.Contain(t, shown, " | Use tabs", "the model is shown")
}

func TestWithoutAScreenDecisionSaysWhatToTypeInAShell(t *testing.T) {
	t.Parallel()
	p := withDecisions(t)
	reply := p.once("command", p.request("command", "", map[string]any{"name": "decision", "args": "reset"}, "hasUI", false))
	must.Contain(t, reply, "pictx decision reset --yes", "what it says")
	all, _ := p.decided()
	must.Not(t, len(all) == 0, "they are gone")
}

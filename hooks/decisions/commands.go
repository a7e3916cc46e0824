package decisions

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// commandDecision is the command of pi-decision-memory.
const commandDecision = "decision"

// command runs /decision: pictx decision with the words typed. Questions that would be
// asked in a terminal become dialogs of the agent.
func (s System) command(ctx context.Context, c *hooks.Call) error {
	var p hooks.Command
	if err := c.Read(&p); err != nil {
		return err
	}
	if !s.Trusted(c.Request, c.Project.Config()) {
		c.Say("The decisions of this project are not used until you say that you trust it: /trust.", "warning")
		return nil
	}
	args := splitWords(p.Args)
	if len(args) == 0 || args[0] == "help" {
		c.Say(s.overview(c), "info")
		return nil
	}
	v := verbOf(args[0])
	for i, w := range args[1:] {
		args[i+1] = v.flag(w)
	}
	t := talkOf(c)
	switch {
	case v.picks && len(args) == 1 && c.HasUI:
		return s.pick(ctx, t, v)
	case v.preview != "" && c.HasUI && (v.preview != verbAudit || slices.Contains(args, "--fix")) && !given(args, "--yes", "--accept", "--dry-run", "--json") && (v.name != verbImport || len(args) > 1):
		return s.confirmed(ctx, t, v, args)
	case v.name == verbAdd, v.name == verbAccept, v.name == verbSupersede, v.name == verbConflict:
		return s.dialog(ctx, t, args)
	}
	s.run(ctx, c, args)
	return nil
}

// pick asks which decision a verb is about, and runs it.
func (s System) pick(ctx context.Context, t *talk, v verb) error {
	state, err := s.state(t.Call)
	if err != nil {
		return err
	}
	list := v.about(state)
	if len(list) == 0 {
		s.run(ctx, t.Call, []string{v.name})
		return nil
	}
	slices.Reverse(list)
	id, err := t.Ask(ctx, decision.OneOf(decision.Question{ID: "pick", Title: "/decision " + v.name + ": which decision?"}, list))
	if err != nil {
		t.end(err)
		return nil
	}
	if v.preview != "" {
		return s.confirmed(ctx, t, v, []string{v.name, id})
	}
	if v.name == verbAccept {
		return s.dialog(ctx, t, []string{v.name, id})
	}
	s.run(ctx, t.Call, []string{v.name, id})
	return nil
}

// confirmed shows what a command would do and asks for confirmation before it runs.
func (s System) confirmed(ctx context.Context, t *talk, v verb, args []string) error {
	if a, ok := t.Answered("sure"); ok {
		var yes bool
		if a.Cancelled || hooks.Decode(a.Value, &yes) != nil || !yes {
			t.Say(nothingChanged, "info")
			return nil
		}
		sure := "--yes"
		if v.name == verbImport {
			sure = "--accept"
		}
		s.run(ctx, t.Call, append(args, sure))
		return nil
	}
	preview := append([]string{v.preview}, args[1:]...)
	switch v.preview {
	case v.name:
		preview = append(preview, "--dry-run")
	case verbAudit:
		preview = []string{verbAudit}
	}
	r := s.Run(ctx, t.Request, preview)
	if r.Code != 0 && v.preview != verbAudit && r.Code != exit.Partly { // whose code only says that there is something to repair
		tell(t.Call, r)
		return nil
	}
	t.Call.Ask(hooks.Ask{ID: "sure", Kind: hooks.AskConfirm, Title: "/decision " + strings.Join(args, " ") + "?", Message: r.text()})
	return t.Keep(t.said)
}

// given reports whether the arguments contain one of the flags.
func given(args []string, flags ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(flags, a) })
}

// run runs a command and shows its output.
func (s System) run(ctx context.Context, c *hooks.Call, args []string) {
	tell(c, s.Run(ctx, c.Request, args))
}

// tell shows the output of a command.
func tell(c *hooks.Call, r Ran) {
	level := "info"
	switch {
	case r.Code == 0:
	case r.Out == "":
		level = "error"
	default:
		level = "warning"
	}
	said := r.text()
	if said == "" {
		said = "There is nothing to show."
	}
	c.Say(said, level)
}

// text returns all output of a command.
func (r Ran) text() string {
	return strings.TrimSpace(strings.TrimSpace(r.Out) + "\n" + strings.TrimSpace(r.Err))
}

// overview returns the number of decisions and what /decision can do, on one screen.
func (s System) overview(c *hooks.Call) string {
	said := "There are no decisions in this project yet."
	state, err := s.state(c)
	switch {
	case err != nil:
		said = "The decisions of this project cannot be read: /decision audit."
	case len(state.Present()) > 0:
		n := state.Counts()
		said = text.CountPlain(n[decision.Active], "active decision") + ", " + text.CountPlain(n[decision.Draft], "draft") + " to accept or reject."
	}
	var b strings.Builder
	b.WriteString(said + "\n")
	for _, v := range verbs() {
		line := "/decision " + v.name + " " + v.takes
		b.WriteString(line + strings.Repeat(" ", max(1, 36-len(line))) + v.does + "\n")
	}
	return b.String()
}

// complete completes the arguments of /decision.
func (s System) complete(c *hooks.Call) error {
	var p hooks.Completion
	if err := c.Read(&p); err != nil {
		return err
	}
	name, rest, second := strings.Cut(p.Prefix, " ")
	add := func(value, label, about string) {
		c.Result().Items = append(c.Result().Items, hooks.CompletionItem{Value: value, Label: label, Description: about})
	}
	if !second {
		for _, v := range verbs() {
			if strings.HasPrefix(v.name, name) {
				add(v.name, v.name, v.does)
			}
		}
		return nil
	}
	v := verbOf(name)
	if strings.Contains(rest, " ") {
		return nil
	}
	for _, w := range slices.Sorted(maps.Keys(v.words)) {
		if strings.HasPrefix(w, rest) {
			add(name+" "+w, w, "")
		}
	}
	if !strings.Contains(v.takes, "ID") || !s.Trusted(c.Request, c.Project.Config()) {
		return nil
	}
	state, err := s.state(c)
	if err != nil {
		return err
	}
	for _, d := range v.about(state) {
		if strings.HasPrefix(strings.ToUpper(d.ID), strings.ToUpper(rest)) {
			add(name+" "+d.ID, d.ID, d.Line())
		}
	}
	return nil
}

// splitWords splits a command line into words. A word that begins with a quote extends to
// one that ends with it; other quotes are apostrophes.
func splitWords(text string) []string {
	word := regexp.MustCompile(`(--[^\s=]+=)?(?:"((?:[^"]|"\S)*)"|'((?:[^']|'\S)*)'|(\S+))(?:\s|$)`)
	var out []string
	for _, m := range word.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Join(m[1:], ""))
	}
	return out
}

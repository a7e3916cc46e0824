package decisions

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
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
	if len(args) == 0 || args[0] == "help" || given(args, "--help") {
		s.help(c, args)
		return nil
	}
	v := verbOf(args[0])
	if v == nil {
		c.Say(unknown(args[0]), "error")
		return nil
	}
	t := talkOf(c)
	args, err := s.filled(ctx, t, v, args)
	switch {
	case errors.Is(err, errMissing):
		c.Say("/decision "+v.name+" needs "+v.needs(len(args)-1)+". Type "+v.usage(), "error")
		return nil
	case err != nil:
		return t.end(err, "Nothing was chosen. Type "+v.usage())
	}
	if wrong := s.wrongID(c, v, args[1:]); wrong != "" {
		c.Say(wrong, "error")
		return nil
	}
	return s.do(ctx, t, v.flags(args))
}

// do runs a command, or asks for something first.
func (s System) do(ctx context.Context, t *talk, args []string) error {
	verb := args[0]
	switch {
	case verb == "add" && t.HasUI && !given(args, "--force", "--update", "--supersedes", "--status", "--dry-run", "--json", "--conflicts"):
		return s.add(ctx, t, args)
	case (slices.Contains(asking(), verb) || given(args, "--fix")) && t.HasUI && !given(args, "--yes", "--dry-run", "--json"):
		return s.confirmed(ctx, t, verb, args)
	case verb == verbSupersede || verb == verbConflict:
		return s.dialog(ctx, t, args)
	}
	s.run(ctx, t.Call, args)
	return nil
}

// errMissing is returned when an argument is missing that cannot be asked for.
var errMissing = errors.New("an argument is missing")

// filled returns the arguments of a verb. It asks which decision the verb is about when that
// is all that is missing.
func (s System) filled(ctx context.Context, t *talk, v *verb, args []string) ([]string, error) {
	if len(args)-1 >= v.least || given(args, "--help") {
		return args, nil
	}
	state, err := s.state(t.Call)
	if err != nil || !t.HasUI || v.least != 1 || v.ids == 0 || len(v.about(state)) == 0 {
		return args, errMissing
	}
	list := v.about(state)
	slices.Reverse(list)
	id, err := t.Ask(ctx, dialog.OneOf(dialog.Question{ID: "pick", Title: "/decision " + v.name + ": which decision?"}, list))
	return append(args, id...), err
}

// help explains a word, or lists all words.
func (s System) help(c *hooks.Call, args []string) {
	for _, name := range args {
		if v := verbOf(name); v != nil && v.name != "help" {
			c.Say(v.usage(), "info")
			return
		}
	}
	c.Say(s.overview(c), "info")
}

// The commands that ask for missing arguments.
const (
	verbSupersede = "supersede"
	verbConflict  = "conflict"
)

// asking lists the commands that ask for confirmation.
func asking() []string { return []string{"remove", "purge", "reset", "clear", "init"} }

// given reports whether the arguments contain one of the flags.
func given(args []string, flags ...string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if slices.Contains(flags, name) {
			return true
		}
	}
	return false
}

// run runs a command and shows its output.
func (s System) run(ctx context.Context, c *hooks.Call, args []string) {
	r := s.Run(ctx, c.Request, args)
	if r.Code == 0 && strings.TrimSpace(r.Out) == "" && slices.Equal(args, []string{"list"}) {
		c.Say(s.noneActive(c), "info")
		return
	}
	tell(c, args, r)
}

// tell shows the output of a command.
func tell(c *hooks.Call, args []string, r Ran) {
	level := "info"
	switch {
	case r.Code == 0:
	case r.Out == "":
		level = "error"
	default:
		level = "warning"
	}
	text := r.text(args)
	if r.Code == 0 && strings.TrimSpace(r.Out) == "" && slices.Contains([]string{"list", "search"}, args[0]) {
		text = "" // the command's own message is meant for a shell
	}
	if text == "" {
		text = empty(args)
	}
	c.Say(text, level)
}

// text returns all output of a command, worded for pi.
func (r Ran) text(args []string) string {
	return strings.TrimSpace(inPi(strings.TrimSpace(r.Out)+"\n"+strings.TrimSpace(r.Err), args))
}

// confirmed shows what a command would do and asks for confirmation before it runs.
func (s System) confirmed(ctx context.Context, t *talk, verb string, args []string) error {
	if a, ok := t.Answered("sure"); ok {
		var yes bool
		if a.Cancelled || hooks.Decode(a.Value, &yes) != nil || !yes {
			t.Say(nothingChanged, "info")
			return nil
		}
		s.run(ctx, t.Call, append(args, "--yes"))
		return nil
	}
	preview := Ran{}
	switch verb {
	case "purge", "reset", "clear", "init":
		preview = s.Run(ctx, t.Request, append(slices.Clone(args), "--dry-run"))
	case "remove":
		preview = s.Run(ctx, t.Request, append([]string{"show"}, args[1:]...))
	case "audit", "doctor":
		preview = s.Run(ctx, t.Request, []string{verb})
		preview.Code = 0 // a failing code only says that there is something to repair
	}
	if preview.Code != 0 {
		tell(t.Call, args, preview)
		return nil
	}
	t.Call.Ask(hooks.Ask{ID: "sure", Kind: hooks.AskConfirm, Title: "/decision " + strings.Join(args, " ") + "?", Message: preview.text(args)})
	return t.Keep(t.said)
}

// add adds a decision. It shows the closest active ones and asks what to do.
func (s System) add(ctx context.Context, t *talk, args []string) error {
	closest, failed := s.closest(ctx, t.Call, args)
	if failed != nil {
		tell(t.Call, args, *failed)
		return nil
	}
	do := dialog.Addition{}
	if len(closest) > 0 {
		reason := ""
		if given(args, "--reason") {
			reason = "given"
		}
		var err error
		if do, err = dialog.Adding(ctx, t, closest, reason); err != nil {
			return t.end(err, notAdded)
		}
		if reason == "" && do.Reason != "" {
			args = append(args, "--reason="+do.Reason)
		}
	}
	switch do.Do {
	case dialog.Cancel:
		t.Say(notAdded, "info")
		return nil
	case dialog.Add:
		args = append(args, "--force")
	case dialog.Supersede:
		args = append(args, "--supersedes="+do.ID)
	case dialog.Mark:
		args = append(args, "--conflicts="+do.ID)
	case dialog.Update:
		args = append(args, "--update="+do.ID)
	}
	s.run(ctx, t.Call, args)
	return nil
}

// notAdded is said when a person decided against a new decision.
const notAdded = "Not added."

// closest returns the decisions closest to a new one, or the output of the command when that
// rejected the text.
func (s System) closest(ctx context.Context, c *hooks.Call, args []string) ([]*decision.Decision, *Ran) {
	r := s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run", "--json"))
	var v struct {
		Closest []*decision.Decision `json:"closest"`
	}
	if r.Code != 0 || json.Unmarshal([]byte(r.Out), &v) != nil {
		plain := s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run"))
		return nil, &plain
	}
	return v.Closest, nil
}

// complete completes the arguments of /decision.
func (s System) complete(c *hooks.Call) error {
	var p hooks.Completion
	if err := c.Read(&p); err != nil {
		return err
	}
	name, rest, second := strings.Cut(p.Prefix, " ")
	if !second {
		for _, v := range decisionVerbs() {
			if strings.HasPrefix(v.name, name) {
				c.Result().Items = append(c.Result().Items, hooks.CompletionItem{Value: v.name, Label: v.name, Description: v.does})
			}
		}
		return nil
	}
	v := verbOf(name)
	if v == nil || strings.Contains(rest, " ") {
		return nil
	}
	for _, w := range slices.Sorted(maps.Keys(v.options)) {
		if strings.HasPrefix(w, rest) {
			c.Result().Items = append(c.Result().Items, hooks.CompletionItem{Value: name + " " + w, Label: w})
		}
	}
	if v.ids == 0 || !s.Trusted(c.Request, c.Project.Config()) {
		return nil
	}
	return s.completeID(c, v, rest)
}

// completeID offers the decisions that fit a verb.
func (s System) completeID(c *hooks.Call, v *verb, prefix string) error {
	state, err := s.state(c)
	if err != nil {
		return err
	}
	for _, d := range v.about(state) {
		if strings.HasPrefix(strings.ToUpper(d.ID), strings.ToUpper(prefix)) {
			c.Result().Items = append(c.Result().Items, hooks.CompletionItem{Value: v.name + " " + d.ID, Label: d.ID, Description: d.Line()})
		}
	}
	return nil
}

// splitWords splits a command line into words. A word that begins with a quote extends to
// one that ends with it; other quotes are apostrophes.
func splitWords(text string) []string {
	var out []string
	for rest := strings.TrimLeft(text, " \t\n"); rest != ""; rest = strings.TrimLeft(rest, " \t\n") {
		word, after := cutWord(rest)
		out = append(out, word)
		rest = after
	}
	return out
}

// cutWord splits off the first word.
func cutWord(text string) (word, rest string) {
	name := ""
	body := text
	if strings.HasPrefix(text, "--") { // --reason="two words"
		if i := strings.IndexByte(text, '='); i > 0 && !strings.ContainsAny(text[:i], " \t\n") {
			name, body = text[:i+1], text[i+1:]
		}
	}
	for _, q := range []string{`"`, "'"} {
		if inside, ok := strings.CutPrefix(body, q); ok {
			for at := 0; ; {
				i := strings.Index(inside[at:], q)
				if i < 0 {
					break
				}
				at += i
				if end := inside[at+1:]; end == "" || strings.ContainsAny(end[:1], " \t\n") {
					return name + inside[:at], end
				}
				at++
			}
		}
	}
	i := strings.IndexAny(body, " \t\n")
	if i < 0 {
		return text, ""
	}
	return name + body[:i], body[i:]
}

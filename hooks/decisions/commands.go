package decisions

import (
	"context"
	"encoding/json"
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
	args := s.picked(c, splitWords(p.Args))
	if len(args) == 0 || args[0] == "help" || given(args, "--help") {
		s.help(c, args)
		return nil
	}
	v := verbOf(args[0])
	if v == nil {
		c.Say(unknown(args[0]), "error")
		return nil
	}
	if s.missing(c, v, args) {
		return nil
	}
	if wrong := s.wrongID(c, v, args[1:]); wrong != "" {
		c.Say(wrong, "error")
		return nil
	}
	return s.do(ctx, c, v.flags(args))
}

// do runs a command, or asks for something first.
func (s System) do(ctx context.Context, c *hooks.Call, args []string) error {
	verb := args[0]
	switch {
	case verb == "add" && c.HasUI && !given(args, "--force", "--update", "--supersedes", "--status", "--dry-run", "--json", "--conflicts"):
		return s.add(ctx, c, args)
	case (slices.Contains(asking(), verb) || given(args, "--fix")) && c.HasUI && !given(args, "--yes", "--dry-run", "--json"):
		return s.confirmed(ctx, c, verb, args)
	case verb == verbSupersede || verb == verbConflict:
		return s.dialog(ctx, c, args)
	}
	s.run(ctx, c, args)
	return nil
}

// askPick is the question for the decision that a command is about.
const askPick = "pick"

// pickedState keeps the picked decision while another question is open.
type pickedState struct {
	Picked string `json:"picked"`
}

// picked adds the picked decision to the arguments.
func (System) picked(c *hooks.Call, args []string) []string {
	var kept pickedState
	if a, ok := c.Answered(askPick); ok {
		if id, ok := word(a); ok {
			return append(args, id)
		}
	} else if c.Kept(&kept) && kept.Picked != "" && len(args) == 1 {
		return append(args, kept.Picked)
	}
	return args
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
func (s System) confirmed(ctx context.Context, c *hooks.Call, verb string, args []string) error {
	if a, ok := c.Answered("sure"); ok {
		var yes bool
		if a.Cancelled || hooks.Decode(a.Value, &yes) != nil || !yes {
			c.Say("Nothing was changed.", "info")
			return nil
		}
		s.run(ctx, c, append(args, "--yes"))
		return nil
	}
	preview := Ran{}
	switch verb {
	case "purge", "reset", "clear", "init":
		preview = s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run"))
	case "remove":
		preview = s.Run(ctx, c.Request, append([]string{"show"}, args[1:]...))
	case "audit", "doctor":
		preview = s.Run(ctx, c.Request, []string{verb})
		preview.Code = 0 // a failing code only says that there is something to repair
	}
	if preview.Code != 0 {
		tell(c, args, preview)
		return nil
	}
	c.Ask(hooks.Ask{ID: "sure", Kind: hooks.AskConfirm, Title: "/decision " + strings.Join(args, " ") + "?", Message: preview.text(args)})
	if _, ok := c.Answered(askPick); ok {
		return c.Keep(pickedState{args[1]})
	}
	return nil
}

// addingState keeps the answers so far while a decision is added.
type addingState struct {
	Do string `json:"do"`
	ID string `json:"id"`
}

// add adds a decision. It shows the closest active ones and asks what to do.
func (s System) add(ctx context.Context, c *hooks.Call, args []string) error {
	var kept addingState
	if a, ok := c.Answered("why"); ok && c.Kept(&kept) {
		why, ok := word(a)
		if !ok {
			c.Say("Not added: superseding needs a reason.", "info")
			return nil
		}
		s.run(ctx, c, append(args, "--supersedes="+kept.ID, "--reason="+why))
		return nil
	}
	closest, failed := s.closest(ctx, c, args)
	if failed != nil {
		tell(c, args, *failed)
		return nil
	}
	if len(closest) == 0 {
		s.run(ctx, c, args)
		return nil
	}
	which := dialog.Which(closest)
	if a, ok := c.Answered(which.ID); ok && c.Kept(&kept) {
		id, _ := word(a)
		return s.addAs(ctx, c, args, addingState{kept.Do, id})
	}
	q := dialog.Closest(closest)
	a, ok := c.Answered(q.ID)
	if !ok {
		c.Ask(askOf(q))
		return c.Keep(addingState{})
	}
	do, _ := word(a)
	switch do {
	case dialog.Add:
		s.run(ctx, c, append(args, "--force"))
	case dialog.Supersede, dialog.Mark, dialog.Update:
		c.Ask(askOf(which))
		return c.Keep(addingState{Do: do})
	default:
		c.Say("Not added.", "info")
	}
	return nil
}

// closest returns the decisions closest to a new one, or the output of the command when that
// rejected the text.
func (s System) closest(ctx context.Context, c *hooks.Call, args []string) ([]*decision.Decision, *Ran) {
	r := s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run", "--json"))
	var v struct {
		Closest []decision.Decision `json:"closest"`
	}
	if r.Code != 0 || json.Unmarshal([]byte(r.Out), &v) != nil {
		plain := s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run"))
		return nil, &plain
	}
	var out []*decision.Decision
	for i := range v.Closest {
		out = append(out, &v.Closest[i])
	}
	return out, nil
}

// addAs adds a decision in the way chosen in the dialog about the closest ones.
func (s System) addAs(ctx context.Context, c *hooks.Call, args []string, how addingState) error {
	switch {
	case how.ID == "":
		c.Say("Not added.", "info")
		return nil
	case how.Do == dialog.Mark:
		args = append(args, "--conflicts="+how.ID)
	case how.Do == dialog.Update:
		args = append(args, "--update="+how.ID)
	case given(args, "--reason"):
		args = append(args, "--supersedes="+how.ID)
	default:
		c.Ask(askOf(dialog.Why(how.ID)))
		return c.Keep(how)
	}
	s.run(ctx, c, args)
	return nil
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

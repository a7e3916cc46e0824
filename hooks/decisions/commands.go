package decisions

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
	"github.com/coctostan/pictx/core/decision/likeness"
	"github.com/coctostan/pictx/hooks"
)

// commandDecision is the command of pi-decision-memory.
const commandDecision = "decision"

// command runs /decision: pictx decision with the words that were typed. What that asks
// on a terminal is asked in dialogs here.
func (s System) command(ctx context.Context, c *hooks.Call) error {
	var p hooks.Command
	if err := c.Read(&p); err != nil {
		return err
	}
	if !s.Trusted(c.Request, c.Project.Config()) {
		c.Say("The decisions of this project are not used, because you have not trusted it yet. Say /trust if you do.", "warning")
		return nil
	}
	args := splitWords(p.Args)
	verb := ""
	if len(args) > 0 {
		verb = args[0]
	}
	switch {
	case verb == "" || verb == "help":
		args = append([]string{"--help"}, args[min(len(args), 1):]...)
	case verb == "add" && c.HasUI && !given(args, "--force", "--update", "--supersedes", "--status", "--dry-run", "--help", "--json", "--conflicts"):
		return s.add(ctx, c, args)
	case slices.Contains(asking(), verb) && c.HasUI && !given(args, "--yes", "--dry-run", "--help", "--json"):
		return s.confirmed(ctx, c, verb, args)
	case verb == verbSupersede || verb == verbConflict:
		return s.dialog(ctx, c, args)
	}
	tell(c, s.Run(ctx, c.Request, args))
	return nil
}

// The commands that ask for missing arguments.
const (
	verbSupersede = "supersede"
	verbConflict  = "conflict"
)

// asking are the commands that ask for confirmation.
func asking() []string { return []string{"remove", "purge", "reset", "clear", "undo", "init"} }

// given reports whether one of the flags is among the words.
func given(args []string, flags ...string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if slices.Contains(flags, name) {
			return true
		}
	}
	return false
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
	text := strings.TrimSpace(strings.TrimSpace(r.Out) + "\n" + strings.TrimSpace(r.Err))
	if text == "" {
		text = "Nothing."
	}
	c.Say(text, level)
}

// confirmed asks for confirmation before a command runs, and shows what it would do.
func (s System) confirmed(ctx context.Context, c *hooks.Call, verb string, args []string) error {
	if a, ok := c.Answered("sure"); ok {
		var yes bool
		if a.Cancelled || hooks.Decode(a.Value, &yes) != nil || !yes {
			c.Say("Nothing was changed.", "info")
			return nil
		}
		tell(c, s.Run(ctx, c.Request, append(args, "--yes")))
		return nil
	}
	preview := Ran{}
	switch verb {
	case "purge", "reset", "clear", "undo", "init":
		preview = s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run"))
	case "remove":
		preview = s.Run(ctx, c.Request, append([]string{"show"}, args[1:]...))
	}
	if preview.Code != 0 {
		tell(c, preview)
		return nil
	}
	c.Ask(hooks.Ask{ID: "sure", Kind: hooks.AskConfirm, Title: "/decision " + strings.Join(args, " ") + "?", Message: strings.TrimSpace(preview.Out + "\n" + preview.Err)})
	return c.Keep(true)
}

// addingState is what was answered so far while a decision is added.
type addingState struct {
	Do string `json:"do"`
	ID string `json:"id"`
}

// add adds a decision, and asks what to do about related ones.
func (s System) add(ctx context.Context, c *hooks.Call, args []string) error {
	var kept addingState
	if a, ok := c.Answered("why"); ok && c.Kept(&kept) {
		why, ok := word(a)
		if !ok {
			c.Say("Not added: superseding wants a reason.", "info")
			return nil
		}
		tell(c, s.Run(ctx, c.Request, append(args, "--supersedes="+kept.ID, "--reason="+why)))
		return nil
	}
	related, failed := s.related(ctx, c, args)
	if failed != nil {
		tell(c, *failed)
		return nil
	}
	if len(related) == 0 {
		tell(c, s.Run(ctx, c.Request, args))
		return nil
	}
	q := dialog.Related(related)
	a, ok := c.Answered(q.ID)
	if !ok {
		c.Ask(askOf(q))
		return c.Keep(addingState{})
	}
	return s.addAs(ctx, c, args, a, related[0].Decision.ID)
}

// related returns the decisions that a text is related to, or the output of the command
// that refused the text.
func (s System) related(ctx context.Context, c *hooks.Call, args []string) ([]decision.Relation, *Ran) {
	r := s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run", "--json"))
	var v struct {
		Related []struct {
			ID    string         `json:"id"`
			Class likeness.Class `json:"class"`
			Text  string         `json:"text"`
		} `json:"related"`
	}
	if r.Code != 0 || json.Unmarshal([]byte(r.Out), &v) != nil {
		plain := s.Run(ctx, c.Request, append(slices.Clone(args), "--dry-run"))
		return nil, &plain
	}
	var out []decision.Relation
	for _, r := range v.Related {
		out = append(out, decision.Relation{Decision: &decision.Decision{ID: r.ID, Text: r.Text}, Likeness: likeness.Likeness{Class: r.Class}})
	}
	return out, nil
}

// addAs adds a decision as the answer about related ones says.
func (s System) addAs(ctx context.Context, c *hooks.Call, args []string, a hooks.Answer, id string) error {
	do, _ := word(a)
	switch do {
	case dialog.Supersede:
		if given(args, "--reason") {
			args = append(args, "--supersedes="+id)
			break
		}
		c.Ask(askOf(dialog.Why(id)))
		return c.Keep(addingState{do, id})
	case dialog.Mark:
		args = append(args, "--conflicts="+id)
	case dialog.Update:
		args = append(args, "--update="+id)
	case dialog.Add:
		args = append(args, "--force")
	default:
		c.Say("Not added.", "info")
		return nil
	}
	tell(c, s.Run(ctx, c.Request, args))
	return nil
}

// decisionVerbs are the words of /decision.
func decisionVerbs() []string {
	return []string{
		"add", "list", "show", "search", "edit", "remove", "supersede", "status", "purge", "reset", "clear", "enable", "disable", "help",
		"tag", "reason", "draft", "accept", "reject", "conflict", "resolve", "doctor", "history", "blame", "diff", "audit", "export",
		"import", "context", "init", "undo",
	}
}

// complete completes the words of /decision.
func (s System) complete(c *hooks.Call) error {
	var p hooks.Completion
	if err := c.Read(&p); err != nil {
		return err
	}
	verb, rest, second := strings.Cut(p.Prefix, " ")
	if !second {
		for _, v := range decisionVerbs() {
			if strings.HasPrefix(v, verb) {
				c.Result().Items = append(c.Result().Items, hooks.CompletionItem{Value: v, Label: v})
			}
		}
		return nil
	}
	takes := []string{"show", "edit", "remove", "supersede", "tag", "reason", "accept", "reject", "conflict", "resolve", "history", "blame"}
	if !slices.Contains(takes, verb) || strings.Contains(rest, " ") || !s.Trusted(c.Request, c.Project.Config()) {
		return nil
	}
	log, err := s.Open(c.CWD)
	if err != nil {
		return err
	}
	state, err := log.Load()
	if err != nil {
		return err
	}
	for _, d := range state.Present() {
		if strings.HasPrefix(strings.ToUpper(d.ID), strings.ToUpper(rest)) {
			c.Result().Items = append(c.Result().Items, hooks.CompletionItem{Value: verb + " " + d.ID, Label: d.ID, Description: d.Line()})
		}
	}
	return nil
}

// splitWords splits what was typed into words. Quotes hold blanks together when a word
// begins with one and ends with another; other quotes are apostrophes.
func splitWords(text string) []string {
	var out []string
	for rest := strings.TrimLeft(text, " \t\n"); rest != ""; rest = strings.TrimLeft(rest, " \t\n") {
		word, after := cutWord(rest)
		out = append(out, word)
		rest = after
	}
	return out
}

// cutWord splits a text after its first word.
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

package decisions

import (
	"context"
	"fmt"
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

// command runs /decision: pictx decision with the words typed. What it asks at a terminal, it
// asks in dialogs of the agent.
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
	if !c.HasUI {
		tell(c, s.Run(ctx, c.Request, args, nil))
		return nil
	}
	t := talkOf(c)
	args, err := s.completed(ctx, t, v, args)
	if err != nil {
		t.end(err)
		return nil
	}
	r := s.Run(ctx, c.Request, args, t)
	if t.ended != nil {
		t.end(t.ended)
		return nil
	}
	tell(c, r)
	return nil
}

// completed asks for what a command lacks.
func (s System) completed(ctx context.Context, t *talk, v verb, args []string) ([]string, error) {
	if !v.lacks(args) {
		return args, nil
	}
	off, err := s.Off(t.Request)
	if err == nil && off != "" {
		err = fmt.Errorf("decisions are off: %s says so; /decision enable switches them on", off)
	}
	if err != nil {
		return nil, err
	}
	state, err := s.state(t.Call)
	if err != nil {
		return nil, err
	}
	return t.complete(ctx, v, state, args)
}

// tell shows the output of a command.
func tell(c *hooks.Call, r Ran) {
	said := strings.TrimSpace(strings.TrimSpace(r.Out) + "\n" + strings.TrimSpace(r.Err))
	if said == "" {
		said = "There is nothing to show."
	}
	level := "info"
	switch {
	case r.Code == exit.OK:
	case r.Out == "" && r.Code != exit.Refused:
		level = "error"
	default:
		level = "warning"
	}
	c.Say(said, level)
}

// overview returns the number of decisions and what /decision can do, on one screen.
func (s System) overview(c *hooks.Call) string {
	said := "There are no decisions in this project yet."
	state, err := s.state(c)
	switch {
	case err != nil:
		said = "The decisions of this project cannot be read: /decision audit."
	case len(state.Present()) > 0:
		said = text.CountPlain(len(state.With(decision.Active)), "active decision") + ", " + text.CountPlain(len(state.With(decision.Draft)), "draft") + " to accept or reject."
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
	for _, w := range slices.Sorted(maps.Keys(v.flags)) {
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

// Package setup is what a person chooses when pictx is installed: which of its systems
// run, and what writes the summaries of a compaction. It knows what each costs and what
// leaves the machine, and which settings a choice comes to.
//
// It must not know how the question is asked, and writes no settings.
package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/config"
)

// System is a part of pictx that can be switched off.
type System struct {
	Name string // as --systems takes it
	Key  string // of the setting
	// Does says what it is for and what it costs at most, in a line of 60 columns.
	Does string
}

// Systems are those that a person is asked about.
func Systems() []System {
	return []System{
		{"prune", "prune.enabled", "remove old tool output; 300 tokens per request from then on"},
		{"history", "history.enabled", "keep every session searchable; disk space, no tokens"},
		{"decisions", "decisions.enabled", "show the model up to 20 decisions of a trusted project"},
		{"code", "kota.enabled", "answer code questions; 450 tokens per request once indexed"},
		{"objects", "objects.enabled", "keep versions of what a session saw; disk space, no tokens"},
	}
}

// Writer is what writes the summaries of a compaction.
type Writer struct {
	Name string // as --summaries takes it
	Does string
	// compact and models are the values of history.compact and history.models.
	compact, models string
}

// Writers are those that can be chosen. Other models are a setting, history.models,
// because their names do not fit a question of two lines.
func Writers() []Writer {
	return []Writer{
		{"session", "the session's own model, at about pi's own price", "true", ""},
		{"none", "no model: free extracts; nothing leaves your machine", "true", "none"},
		{"pi", "pi, as without pictx; the originals stay searchable", "false", ""},
	}
}

// Choice is what was chosen.
type Choice struct {
	Systems []string
	// Writer is the name of one of Writers, "" for models that the user named.
	Writer string
}

// Present is the choice that settings stand for.
func Present(c *config.Config) Choice {
	on := []bool{c.Prune.Enabled, c.History.Enabled, c.Decisions.Enabled, c.Kota.Enabled, c.Objects.Enabled}
	var out Choice
	for i, s := range Systems() {
		if on[i] {
			out.Systems = append(out.Systems, s.Name)
		}
	}
	switch {
	case !c.History.Compact:
		out.Writer = "pi"
	case len(c.History.Models) == 0:
		out.Writer = "session"
	case slices.Equal(c.History.Models, []string{"none"}):
		out.Writer = "none"
	}
	return out
}

// Check reports a name that nothing has.
func (c Choice) Check() error {
	for _, name := range c.Systems {
		if !slices.ContainsFunc(Systems(), func(s System) bool { return s.Name == name }) {
			return fmt.Errorf("unknown system %q: want %s", name, strings.Join(SystemNames(), ", "))
		}
	}
	if c.Writer != "" && !slices.Contains(WriterNames(), c.Writer) {
		return fmt.Errorf("unknown writer of summaries %q: want %s", c.Writer, strings.Join(WriterNames(), ", "))
	}
	return nil
}

// SystemNames are the names of Systems.
func SystemNames() []string {
	var out []string
	for _, s := range Systems() {
		out = append(out, s.Name)
	}
	return out
}

// WriterNames are the names of Writers.
func WriterNames() []string {
	var out []string
	for _, w := range Writers() {
		out = append(out, w.Name)
	}
	return out
}

// Setting is a value for a key.
type Setting struct{ Key, Value string }

// Settings are what has to be set to come from one choice to another.
func Settings(from, to Choice) []Setting {
	var out []Setting
	for _, s := range Systems() {
		if on := slices.Contains(to.Systems, s.Name); on != slices.Contains(from.Systems, s.Name) {
			out = append(out, Setting{s.Key, fmt.Sprint(on)})
		}
	}
	for _, w := range Writers() {
		if w.Name != to.Writer || to.Writer == from.Writer {
			continue
		}
		if from.Writer == "pi" || w.compact == "false" {
			out = append(out, Setting{"history.compact", w.compact})
		}
		if w.compact == "true" {
			out = append(out, Setting{"history.models", w.models})
		}
	}
	return out
}

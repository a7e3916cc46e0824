package care

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/config"
)

// System is a part of pictx that can be switched off.
type System struct {
	Name string // as --systems takes it
	Key  string // the setting that switches it
	// Does says what it is for and what it costs at most, in up to 60 columns.
	Does string
}

// Systems returns the systems that a person is asked about.
func Systems() []System {
	return []System{
		{"prune", "prune.enabled", "remove old tool output; 300 tokens per request from then on"},
		{"history", "history.enabled", "keep every session searchable; disk space, no tokens"},
		{"decisions", "decisions.enabled", "show the model up to 20 decisions of a trusted project"},
		{"code", "kota.enabled", "answer code questions; 450 tokens per request once indexed"},
		{"objects", "objects.enabled", "keep versions of what a session saw; disk space, no tokens"},
	}
}

// Writer writes the summaries of compactions.
type Writer struct {
	Name string // as --summaries takes it
	Does string
	// compact and models are the values of the settings history.compact and history.models.
	compact, models string
}

// Writers returns the writers to choose from. Other models need the setting history.models,
// because their names do not fit a question of two lines.
func Writers() []Writer {
	return []Writer{
		{"session", "the session's own model, at about pi's own price", "true", ""},
		{"none", "no model: free extracts; nothing leaves your machine", "true", "none"},
		{"pi", "pi, as without pictx; the originals stay searchable", "false", ""},
	}
}

// Choice is the answer of a person.
type Choice struct {
	Systems []string
	// Writer names one of Writers. "" means models that the user configured.
	Writer string
}

// Present returns the choice that corresponds to settings.
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

// Check returns an error for an unknown name.
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

// SystemNames returns the names of Systems.
func SystemNames() []string {
	var out []string
	for _, s := range Systems() {
		out = append(out, s.Name)
	}
	return out
}

// WriterNames returns the names of Writers.
func WriterNames() []string {
	var out []string
	for _, w := range Writers() {
		out = append(out, w.Name)
	}
	return out
}

// Setting is a key with a value.
type Setting struct{ Key, Value string }

// Settings returns the settings that have to change to get from one choice to another.
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

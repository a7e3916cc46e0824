package decision

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/fence"
)

// The limits of what a model is shown, in characters unless noted.
const (
	MaxDecisions = 20   // decisions; the maximum of the setting
	maxLine      = 160  // one line
	maxShort     = 120  // the text within a line
	maxSection   = 2200 // everything together
	maxTried     = 200  // decisions that are tried until enough fit
	maxShownID   = 40
	maxLineTags  = 2
	maxLineTag   = 12
)

// Pinned is the tag of decisions that are shown first.
const Pinned = "pinned"

// The frame around the decisions shown to a model.
const (
	contextOpen  = "<project-decisions>"
	contextClose = "</project-decisions>"
	contextHead  = "Active project decisions:"
)

// Project selects the decisions to show a model: active ones, pinned first, then the
// latest, up to limit and as many as fit. The lines are in the order of creation, pinned ones
// first.
func (s *State) Project(limit int) Shown {
	active := s.filter((*Decision).shown)
	order := slices.Clone(active)
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b *Decision) int { return pinFirst(a) - pinFirst(b) })
	room := maxSection - utf8.RuneCountInString(contextOpen+contextHead+contextClose) - 3
	chosen := make(map[*Decision]string)
	for _, d := range order[:min(len(order), maxTried)] {
		if len(chosen) == max(1, min(limit, MaxDecisions)) {
			break
		}
		line := d.Line()
		n := utf8.RuneCountInString(line) + 1
		rest := len(active) - len(chosen) - 1
		if need := n + footLength(rest); rest > 0 && need > room || n > room {
			continue // a shorter one may still fit
		}
		room -= n
		chosen[d] = line
	}
	slices.SortStableFunc(active, func(a, b *Decision) int { return pinFirst(a) - pinFirst(b) })
	p := Shown{Kind: kindSnapshot, Left: len(active) - len(chosen)}
	for _, d := range active {
		if line, ok := chosen[d]; ok {
			p.Lines = append(p.Lines, ShownLine{d.ID, line})
		}
	}
	return p
}

// shown reports whether models see the decision: it is active, or was active when one side
// removed it and nobody has settled that.
func (d *Decision) shown() bool {
	return !d.Removed && d.Status == Active || d.Contested() && d.Status == Active
}

func pinFirst(d *Decision) int {
	if slices.Contains(d.Tags, Pinned) {
		return 0
	}
	return 1
}

// foot returns the last line, which counts the decisions that did not fit.
func foot(n int) string { return fmt.Sprintf("+%d more: pictx decision list", n) }

func footLength(n int) int { return utf8.RuneCountInString(foot(n)) + 1 }

// Line returns the decision as the single line that a model is shown. No text in it can
// break the line or forge another. Concurrent changes are shown with both sides.
func (d *Decision) Line() string {
	line := fence.OneLine(d.ID, maxShownID) + " | "
	line += d.short(min(maxShort, maxLine-utf8.RuneCountInString(line)))
	shown := 0
	for _, t := range d.Tags {
		if t == Pinned || shown == maxLineTags {
			continue
		}
		part := " #" + cutRunes(lineTag(t), maxLineTag)
		if shown == 0 {
			part = " |" + part
		}
		if utf8.RuneCountInString(line+part) > maxLine {
			break
		}
		line += part
		shown++
	}
	return line
}

// short returns the content of the decision in at most limit characters.
func (d *Decision) short(limit int) string {
	body, note := d.Named(), ""
	for _, f := range d.Sides {
		if f.Field == "text" {
			const frame = 24 // characters of the words around the texts
			half := (limit - frame) / 2
			return `unsettled: "` + lineText(f.A, half) + `" or "` + lineText(f.B, half) + `"`
		}
		note = " (unsettled: " + lineText(f.A, maxShownID) + " or " + lineText(f.B, maxShownID) + ")"
	}
	if len(d.Rivals) > 0 {
		note = " (unsettled: this or " + fence.OneLine(d.Rivals[0], maxShownID) + ")"
	}
	return lineText(body, limit-utf8.RuneCountInString(note)) + note
}

// lineText prepares a text for a line: hidden characters become visible, and signs that
// separate fields or close the frame are replaced.
func lineText(text string, limit int) string {
	return CutWord(fence.OneLine(neutral(text), 0), limit)
}

// neutral replaces the signs that have a meaning in a line.
func neutral(text string) string {
	words := strings.FieldsFunc(text, unicode.IsSpace)
	for i, w := range words {
		if strings.Trim(w, "|") == "" {
			words[i] = strings.Repeat("¦", utf8.RuneCountInString(w))
		}
	}
	text = strings.Join(words, " ")
	if strings.Contains(text, "<") {
		frame := regexp.MustCompile("(?i)<(/?" + regexp.QuoteMeta(strings.Trim(contextOpen, "<>")) + ")")
		text = frame.ReplaceAllString(text, "($1")
	}
	return text
}

// lineTag prepares a tag for a line.
func lineTag(t string) string {
	t = strings.Join(strings.FieldsFunc(t, func(r rune) bool { return unicode.IsSpace(r) || r == '|' || r == '#' || r == '<' || r == '>' }), "-")
	return fence.OneLine(t, 0)
}

// cutRunes cuts a text to at most n characters.
func cutRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return s[:fence.CutBefore(s, offset(s, n))]
}

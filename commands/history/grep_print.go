package history

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
)

// hitView is a line of grep --json.
type hitView struct {
	Session string `json:"session"`
	Title   string `json:"title,omitempty"` // of the session
	Entry   string `json:"entry"`
	Role    string `json:"role"`
	Tool    string `json:"tool,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
	Time    string `json:"time"`
	Snippet string `json:"snippet"`
	Match   string `json:"match"` // the part of Snippet that matches
	Copies  int    `json:"copies"`
	Line    int    `json:"line,omitempty"`  // of the match in the output of expand
	Other   string `json:"other,omitempty"` // the entry of the tool call, or of its result
	Blob    string `json:"blob,omitempty"`  // the full output with the match, if the entry has only a part
	// OffBranch is set if the session continued from an earlier entry.
	OffBranch bool   `json:"off_branch,omitempty"`
	Replaced  bool   `json:"replaced,omitempty"` // whether the session's file has a newer text of the entry
	Summary   string `json:"summary,omitempty"`  // the summary that covers the entry
	Project   string `json:"project,omitempty"`  // the project's key, with scope all
	Root      string `json:"root,omitempty"`     // the project's directory, with scope all
	// Answer is the reply to a prompt, or for the first results the one that their turn ended
	// with, if the results are ranked.
	Answer *answerView `json:"answer,omitempty"`
}

// answerView is the reply to a prompt, or the one that a turn ended with.
type answerView struct {
	Entry string `json:"entry"`
	Text  string `json:"text"`           // the part that matches, else the beginning
	Line  int    `json:"line,omitempty"` // of the match in the output of expand
}

// viewOf returns a result as JSON has it, but for the project.
func viewOf(h history.Hit, title string) hitView {
	v := hitView{
		Session: h.Session, Title: title, Entry: h.EntryID, Role: string(h.Role), Tool: h.Tool, IsError: h.IsError,
		Time: text.KnownTime(h.Time), Snippet: h.Snippet, Match: h.Snippet[h.MatchStart:h.MatchEnd],
		Copies: h.Copies, Line: h.Line, Other: h.Other, Blob: h.Spill, OffBranch: h.OffBranch, Replaced: h.Replaced, Summary: h.Summary,
	}
	if h.Answer != nil {
		v.Answer = &answerView{h.Answer.EntryID, h.Answer.Text, h.Answer.Line}
	}
	return v
}

// hit prints a result as text, and whole all of it.
func hit(o *cli.Out, h history.Hit, v hitView, whole bool) {
	meta := fmt.Sprintf("  %s  %s  session %s", text.LocalMinute(h.Time), h.Row.Speaker(), history.ShortSession(h.Session))
	for _, note := range []struct {
		on   bool
		text string
	}{
		{v.Title != "", fmt.Sprintf(" %q", cutTitle(v.Title))},
		{h.Copies > 1, fmt.Sprintf(" (and %s)", text.Count(h.Copies-1, "fork"))},
		{h.OffBranch, "  off the current branch"},
		{h.Replaced, "  replaced since"},
		{h.Summary != "", "  in " + h.Summary},
		{h.Other != "", "  with " + h.Other},
		{h.Spill != "", "  in its whole output"},
	} {
		if note.on {
			meta += note.text
		}
	}
	project := "" // a flag, if it is needed and the directory is known
	if v.Root != "" {
		project = " --project " + text.ShellWord(v.Root)
	}
	where := ""
	switch {
	case h.Line > 0 && !h.Replaced:
		where = fmt.Sprintf("line %d: pictx expand %s --lines %s%s", h.Line, h.Source(), h.Around(), project)
	case !h.Replaced && v.Root != "":
		where = "pictx expand " + h.EntryID + project
	case v.Root == "" && v.Project != "":
		where = "project " + v.Project
	}
	heading(o, h.EntryID, meta, where)
	snippet(o, h, whole)
	if h.Answer != nil {
		answer(o, h, project)
	}
}

// heading prints the line above a result. On a terminal that it does not fit, it is wrapped
// between words, and where the result is found has a line of its own.
func heading(o *cli.Out, id, meta, where string) {
	const indent = 4
	// Only the names in this line come from elsewhere; they may contain line breaks.
	clean := func(s string) string { return strings.ReplaceAll(text.Printable(s), "\n", " ") }
	id, meta, where = text.TerminalLine(id), clean(meta), clean(where)
	between := "  "
	if o.Width > 0 && ansi.StringWidth(id+meta+between+where) > o.Width {
		meta = cli.Hang(id+meta, indent, o.Width)[len(id):]
		between = "\n" + strings.Repeat(" ", indent)
	}
	if where != "" {
		meta += between + where
	}
	o.Printf("%s%s\n", o.Style(cli.StyleBold, id), o.Style(cli.StyleDim, meta))
}

// answer prints the reply to a prompt, or the one that the turn of a result ended with, below it.
func answer(o *cli.Out, h history.Hit, project string) {
	const indent = 4
	command := "pictx expand " + h.Answer.EntryID
	if lines := h.Answer.Around(); lines != "" {
		command += " --lines " + lines
	}
	o.Printf("%*s%s\n%*s%s\n", indent, "", o.Style(cli.StyleDim, h.Answered()+" "+text.TerminalLine(command+project)),
		2*indent, "", cli.Hang(text.TerminalLine(h.Answer.Text), 2*indent, o.Width))
}

// wholeText is a Context that covers any text.
const wholeText = 1 << 30

// snippet prints the text around a match: folded, with "…" where it is cut, or the whole
// text line by line.
func snippet(o *cli.Out, h history.Hit, whole bool) {
	const indent = "    "
	if whole {
		text := text.Printable(h.Snippet[:h.MatchStart]) +
			o.Style(cli.StyleMatch, text.Printable(h.Snippet[h.MatchStart:h.MatchEnd])) +
			text.Printable(h.Snippet[h.MatchEnd:])
		o.Printf("%s%s\n", indent, strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+indent))
		return
	}
	before, match, after := snippetLine(h.Snippet[:h.MatchStart]), snippetLine(h.Snippet[h.MatchStart:h.MatchEnd]), snippetLine(h.Snippet[h.MatchEnd:])
	line := h.Ellipsis(before + o.Style(cli.StyleMatch, match) + after)
	o.Printf("%s%s\n", indent, cli.Hang(line, len(indent), o.Width))
}

// snippetLine folds a text into one line. It keeps a space at the start and the end if
// there is one.
func snippetLine(s string) string {
	const space = " \t\r\n"
	f := text.TerminalLine(s)
	if s != strings.TrimLeft(s, space) {
		f = " " + f
	}
	if f != " " && s != strings.TrimRight(s, space) {
		f += " "
	}
	return f
}

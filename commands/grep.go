package commands

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/project"
	"github.com/coctostan/pictx/sqlite"
)

type grepOptions struct {
	regex         bool
	caseSensitive bool
	session       string
	scope         string
	roles         []string
	tool          string
	after, before string
	limit, offset int
	context       int
	relevance     bool
	full          bool
}

func (a *app) grepCommand() *cobra.Command {
	var o grepOptions
	cmd := &cobra.Command{
		Use:     "grep QUERY...",
		GroupID: groupHistory,
		Short:   "Find what was said, by you, the model or a tool",
		Long: `Searches everything in the store: your prompts, the model's answers and tool
calls, tool output, "!" commands, summaries. The newest comes first.

A query of words finds the entries that hold all of them; words in double quotes
must stand side by side. When nothing holds all, the search loosens step by step
(beginnings of words, without common words, parts of words, any word with the
best first) and says on stderr which step found something. No character has a
special meaning. With --regex the query is a regular expression of Go's syntax,
matched line by line, and matching takes linear time.

Each result names the entry; pictx expand ID prints all of it.`,
		Example: `  pictx grep idempotency key
  pictx grep '"rounding of discounts"' --role user
  pictx grep --regex 'TypeError: .* undefined' --tool bash --after 2d
  pictx grep lease timeout --json | jq -r .entry`,
		Annotations: exits("3 10 11 12 130"),
		Args:        someArgs(1, -1),
		RunE:        func(cmd *cobra.Command, args []string) error { return a.runGrep(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.regex, "regex", "e", false, "the query is a regular expression")
	f.BoolVar(&o.caseSensitive, "case-sensitive", false, "of a regular expression: mind upper and lower case")
	f.StringVar(&o.session, "session", "", "only this session: `id` or its beginning")
	f.StringVar(&o.scope, "scope", "", "`where` to search: session (the one this shell runs in), project, all (default project)")
	f.StringSliceVar(&o.roles, "role", nil, "only these `roles`: user, assistant, tool, bash, custom, summary")
	f.StringVar(&o.tool, "tool", "", "only results of this `tool`")
	f.StringVar(&o.after, "after", "", "only at or after this `time`: 2026-03-01, 2026-03-01T09:30+01:00, 2h, 3d, 1w")
	f.StringVar(&o.before, "before", "", "only before this `time`")
	f.IntVarP(&o.limit, "limit", "n", 20, "at most this many results")
	f.IntVar(&o.offset, "offset", 0, "pass over this many results")
	f.IntVarP(&o.context, "context", "C", 200, "characters to show on each side of the match")
	f.BoolVar(&o.relevance, "relevance", false, "best first instead of newest first")
	f.BoolVar(&o.full, "full", false, "print the whole text of each result")
	a.jsonFlag(cmd)
	a.completeSession(cmd)
	a.completeWords(cmd, "role", roleNames())
	a.completeWords(cmd, "scope", []string{"session", "project", "all"})
	return cmd
}

// hitJSON is a line of grep --json.
type hitJSON struct {
	Session string `json:"session"`
	Entry   string `json:"entry"`
	Role    string `json:"role"`
	Tool    string `json:"tool,omitempty"`
	IsError bool   `json:"is_error,omitempty"`
	Time    string `json:"time"`
	Snippet string `json:"snippet"`
	Match   string `json:"match"` // the part of snippet that matched
	Copies  int    `json:"copies"`
	Project string `json:"project,omitempty"` // key, of scope all
}

func (a *app) runGrep(ctx context.Context, o grepOptions, args []string) error {
	q, err := a.query(o, args)
	if err != nil {
		return err
	}
	stores, err := a.grepStores(o)
	if err != nil {
		return err
	}
	found := 0
	for _, s := range stores {
		n, err := a.grepStore(ctx, o, q, s)
		if err != nil {
			return err
		}
		found += n
	}
	if found > 0 {
		return nil
	}
	hint := "pictx grep --regex PATTERN, or fewer words"
	if !o.regex && looksLikeRegex(q.Text) {
		hint = "this looks like a regular expression: pictx grep --regex '" + strings.ReplaceAll(q.Text, "'", `'\''`) + "'"
	}
	return withHint(exitNotFound, hint, fmt.Errorf("nothing found for %q", q.Text))
}

func looksLikeRegex(s string) bool {
	for _, mark := range []string{".*", ".+", `\d`, `\w`, `\b`, `\s`, "[", "(?", "|", "^", "$"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	return false
}

// grepTarget is a store to search.
type grepTarget struct {
	key, path string
	label     bool // results name the project
}

// grepStores lists the stores of the scope.
func (a *app) grepStores(o grepOptions) ([]grepTarget, error) {
	pl, err := a.place()
	if err != nil {
		return nil, err
	}
	switch o.scope {
	case "", "project", "session":
		return []grepTarget{{key: pl.Key, path: pl.StorePath(pl.agentDir)}}, nil
	case "all":
		keys, err := project.Stores(pl.agentDir)
		if err != nil {
			return nil, err
		}
		if len(keys) == 0 {
			return nil, fmt.Errorf("search history: %w", sqlite.ErrNoStore)
		}
		var out []grepTarget
		for _, k := range keys {
			out = append(out, grepTarget{k, project.StorePath(pl.agentDir, k), true})
		}
		return out, nil
	}
	return nil, usageError("pictx grep --scope all QUERY", "unknown --scope %q: want session, project or all", o.scope)
}

// query reads the flags.
func (a *app) query(o grepOptions, args []string) (history.Query, error) {
	q := history.Query{
		Text: strings.Join(args, " "), Regex: o.regex, CaseSensitive: o.caseSensitive,
		Limit: o.limit, Offset: o.offset, Context: o.context,
	}
	if o.limit < 1 || o.offset < 0 || o.context < 0 {
		return q, usageError("pictx grep --limit 20 QUERY", "--limit, --offset and --context must not be negative, and --limit not 0")
	}
	if o.relevance {
		q.Order = history.Relevance
	}
	if o.full {
		q.Context = 1 << 30
	}
	var err error
	if q.Filter.Roles, err = roles(o.roles); err != nil {
		return q, err
	}
	q.Filter.Tool = o.tool
	if q.Filter.After, err = a.moment(o.after); err != nil {
		return q, err
	}
	q.Filter.Before, err = a.moment(o.before)
	return q, err
}

// grepStore searches one store and prints what it finds.
func (a *app) grepStore(ctx context.Context, o grepOptions, q history.Query, target grepTarget) (int, error) {
	st, err := sqlite.Open(ctx, target.path, sqlite.Read, a.env.Now)
	if err != nil {
		return 0, err
	}
	defer st.Close()
	if q.Filter.Sessions, err = a.sessionFilter(ctx, st, o); err != nil {
		return 0, err
	}
	res, err := history.Search(ctx, st, q)
	if err != nil {
		return 0, err
	}
	for i, h := range res.Hits {
		if err := a.out.hit(h, target, i); err != nil {
			return 0, err
		}
	}
	a.coverage(st, o, res)
	return len(res.Hits), nil
}

// coverage says on stderr how the answer came about, where that matters.
func (a *app) coverage(st *sqlite.Store, o grepOptions, res history.Result) {
	if len(res.Hits) == 0 {
		return
	}
	// What is buffered belongs before what is said about it.
	a.out.Flush()
	if res.Step != history.StepAll && res.Step != history.StepRegex {
		fmt.Fprintf(a.env.Err, "pictx: nothing holds all the words; found %s\n", res.Step)
	}
	if !o.regex && !st.FullText() {
		fmt.Fprintf(a.env.Err, "pictx: searched without a full-text index, by reading %s\n", count(res.Scanned, "entry"))
	}
	if res.More {
		fmt.Fprintf(a.env.Err, "pictx: there is more: --offset %d\n", o.offset+len(res.Hits))
	}
}

// hit prints one result.
func (o *out) hit(h history.Hit, target grepTarget, i int) error {
	match := h.Snippet[h.MatchStart:h.MatchEnd]
	if o.json {
		line := hitJSON{
			Session: h.Session, Entry: h.EntryID, Role: string(h.Role), Tool: h.Tool, IsError: h.IsError,
			Time: isoStamp(h.Time), Snippet: h.Snippet, Match: match, Copies: h.Copies,
		}
		if target.label {
			line.Project = target.key
		}
		return o.line(line)
	}
	if i > 0 {
		o.printf("\n")
	}
	who := string(h.Role)
	switch {
	case h.Tool != "":
		who = h.Tool
	case who == "":
		who = string(h.Type)
	}
	if h.IsError {
		who += " error"
	}
	meta := fmt.Sprintf("  %s  %s  session %s", stamp(h.Time), who, h.Session)
	if h.Copies > 1 {
		meta += fmt.Sprintf(" (and %s)", count(h.Copies-1, "fork"))
	}
	if target.label {
		meta += "  project " + target.key
	}
	o.printf("%s%s\n", o.style(styleBold, oneLine(h.EntryID)), o.style(styleDim, oneLine2(meta)))
	before, after := h.Snippet[:h.MatchStart], h.Snippet[h.MatchEnd:]
	o.printf("    %s%s%s\n", fold(before), o.style(styleMatch, fold(match)), fold(after))
	return nil
}

// oneLine2 is oneLine that keeps runs of spaces, for text of our own layout.
func oneLine2(s string) string { return strings.ReplaceAll(printable(s), "\n", " ") }

// fold makes a text one line and keeps a space where it began or ended with
// one.
func fold(s string) string {
	f := oneLine(s)
	if f == "" {
		if s != "" {
			return " "
		}
		return ""
	}
	if strings.TrimLeft(s[:1], " \t\r\n") == "" {
		f = " " + f
	}
	if strings.TrimRight(s[len(s)-1:], " \t\r\n") == "" {
		f += " "
	}
	return f
}

// roleNames are the words of --role.
func roleNames() []string { return []string{"user", "assistant", "tool", "bash", "custom", "summary"} }

// roles turns the words of --role into pi's names.
func roles(words []string) ([]string, error) {
	var out []string
	for _, w := range words {
		switch strings.ToLower(w) {
		case "user", "assistant", "custom":
			out = append(out, strings.ToLower(w))
		case "tool", "toolresult":
			out = append(out, "toolResult")
		case "bash", "bashexecution":
			out = append(out, "bashExecution")
		case "summary":
			out = append(out, "compactionSummary", "branchSummary")
		default:
			return nil, usageError("pictx grep --role user QUERY", "unknown --role %q: want %s", w, strings.Join(roleNames(), ", "))
		}
	}
	return out, nil
}

// moment reads a time: a date in local time, a time with its offset, or a span
// of time before now.
func (a *app) moment(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t.UnixMilli(), nil
		}
	}
	span := s
	for unit, hours := range map[string]float64{"d": 24, "w": 24 * 7} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			if d, err := time.ParseDuration(n + "h"); err == nil {
				span = time.Duration(float64(d) * hours).String()
			}
		}
	}
	if d, err := time.ParseDuration(span); err == nil && d >= 0 {
		return a.env.Now().Add(-d).UnixMilli(), nil
	}
	return 0, usageError("pictx grep --after 2026-03-01 QUERY", "parse time %q: want a date, a date with time, or a span such as 2h, 3d", s)
}

// sessionFilter resolves --session and --scope session.
func (a *app) sessionFilter(ctx context.Context, st *sqlite.Store, o grepOptions) ([]string, error) {
	id := o.session
	if o.scope == "session" && id == "" {
		if id = a.env.Getenv("PI_SESSION_ID"); id == "" {
			return nil, usageError("pictx grep --session ID QUERY", "this shell runs in no session: PI_SESSION_ID is not set")
		}
	}
	if id == "" {
		return nil, nil
	}
	row, err := findSession(ctx, st, id)
	if err != nil {
		return nil, err
	}
	return []string{row.ID}, nil
}

// findSession returns the session with this id, or unique beginning of one, or
// this file.
func findSession(ctx context.Context, st *sqlite.Store, id string) (sqlite.SessionRow, error) {
	rows, err := st.Sessions(ctx)
	if err != nil {
		return sqlite.SessionRow{}, err
	}
	var found []sqlite.SessionRow
	for _, r := range rows {
		switch {
		case r.ID == id, r.File != "" && (r.File == id || filepath.Base(r.File) == id):
			return r, nil
		case strings.HasPrefix(r.ID, id):
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return sqlite.SessionRow{}, withHint(exitNotFound, "pictx sessions", fmt.Errorf("find session %s: the store has none with this id", id))
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	return sqlite.SessionRow{}, withHint(exitUsage, "give more of the id", errors.New("session "+id+" is ambiguous: "+strings.Join(ids, ", ")))
}

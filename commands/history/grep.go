package history

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// filterFlags are the flags that choose entries.
type filterFlags struct {
	roles         []string
	tool          string
	after, before string
}

// flags declares them.
func (o *filterFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.roles, "role", nil, "only these `roles`: "+strings.Join(roleNames(), ", "))
	f.StringVar(&o.tool, "tool", "", "only results of this `tool`")
	f.StringVar(&o.after, "after", "", "only at or after this `time`: yesterday, 3d")
	f.StringVar(&o.before, "before", "", "only before this `time`")
	cli.Complete(cmd, "role", cobra.FixedCompletions(roleNames(), cobra.ShellCompDirectiveNoFileComp))
}

// readFilter parses the flags into a filter.
func readFilter(a *cli.Run, f *history.Filter, o filterFlags) (err error) {
	f.Tool = o.tool
	if f.Roles, err = roles(o.roles); err != nil {
		return err
	}
	if f.After, err = a.Moment(o.after); err != nil {
		return err
	}
	f.Before, err = a.Moment(o.before)
	return err
}

type grepOptions struct {
	filterFlags
	regex, fixed  bool
	sessions      bool
	caseSensitive bool
	session       string
	scope         string
	or            []string
	all           bool
	limit         int
	cursor        string
	context       int
	newest, full  bool
	timeout       time.Duration
}

// GrepCommand returns the command pictx grep.
func GrepCommand(a *cli.Run) *cobra.Command {
	var o grepOptions
	cmd := cli.Command("grep QUERY...", "Find what was said, by you, the model or a tool", "3 4 10 11 12 130", cli.SomeArgs(1, -1), func(ctx context.Context, args []string) error {
		if o.all {
			o.scope = "all"
		}
		return runGrep(a, ctx, o, args)
	})
	o.flags(cmd.Flags())
	o.filterFlags.flags(cmd)
	for _, pair := range [][2]string{{"regex", "fixed-strings"}, {"all", "scope"}, {"ignore-case", "case-sensitive"}} {
		cmd.MarkFlagsMutuallyExclusive(pair[0], pair[1])
	}
	// --config has no short form here, because users of grep expect -c to count.
	cmd.Flags().StringArrayVar(&a.Settings, "config", nil, "override a setting, as `key=value`; may be given more than once")
	cmd.SetFlagErrorFunc(habit)
	a.JSONFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("sessions-with-matches", "json")
	a.CompleteSession(cmd)
	a.CompleteWords(cmd, "tool", []string{"bash", "read", "edit", "write", "grep", "find", "ls"})
	a.CompleteWords(cmd, "scope", []string{"session", "project", "all"})
	return cmd
}

// habit is cli.FlagError with what does here what a flag of other greps does there.
func habit(cmd *cobra.Command, err error) error {
	for flags, instead := range map[string]string{
		"c": "pictx grep --json QUERY | wc -l", "o": "pictx grep --json QUERY | jq -r .match",
		"AB": "pictx grep -C 400 QUERY (characters around a match)", "EPG": "pictx grep --regex PATTERN",
		"wrRHs": "pictx grep QUERY (whole words, in all sessions of the project)",
	} {
		for _, f := range flags {
			if strings.Contains(err.Error(), fmt.Sprintf("unknown shorthand flag: %q", f)) {
				return exit.UsageError(instead, "%w", err)
			}
		}
	}
	return cli.FlagError(cmd, err)
}

// flags declares the flags of grep. The help lists those that people use; the others are what
// grep and scripts expect, and what the search itself proposes.
func (o *grepOptions) flags(f *pflag.FlagSet) {
	f.BoolVarP(&o.regex, "regex", "e", false, "the query is a regular expression")
	f.BoolVarP(&o.fixed, "fixed-strings", "F", false, "find the query literally, quotes and all")
	f.BoolVarP(&o.sessions, "sessions-with-matches", "l", false, "print only ids of sessions")
	f.StringArrayVar(&o.or, "or", nil, "another `phrasing`, as the answer may have it")
	f.StringVar(&o.session, "session", "", "only this session: `id` or its beginning")
	f.BoolVar(&o.all, "all", false, "search every project")
	f.IntVarP(&o.limit, "limit", "n", 20, "at most this many results")
	f.IntVarP(&o.context, "context", "C", 200, "characters around a match")
	f.BoolVar(&o.newest, "newest", false, "the newest first, also for several words")
	f.BoolVar(&o.full, "full", false, "print the whole text of each result")

	f.BoolP("ignore-case", "i", false, "ignore case (the default)")
	f.BoolVar(&o.caseSensitive, "case-sensitive", false, "match case (with --regex)")
	f.IntVarP(&o.limit, "max-count", "m", 20, "the same as --limit")
	f.StringVar(&o.scope, "scope", "", "`where` to search: session, project, all; session is this shell's, with its forks")
	f.DurationVar(&o.timeout, "timeout", 10*time.Second, "stop reading texts one by one after this `time`; 0 never stops")
	f.StringVar(&o.cursor, "cursor", "", "continue at the `place` that the previous page printed; new entries do not shift it")
	cli.Hide(f, "ignore-case", "case-sensitive", "max-count", "scope", "timeout", "cursor")
}

func runGrep(a *cli.Run, ctx context.Context, o grepOptions, args []string) error {
	q, err := query(a, o, args)
	if err != nil {
		return err
	}
	st, partly, err := a.GrepStores(ctx, o.scope)
	if err != nil {
		return err
	}
	defer st.Close()
	if q.Filter.Sessions, err = sessionFilter(a, ctx, st, o); err != nil {
		return err
	}
	if blobs, _, err := a.OpenBlobs(); err == nil {
		q.Spills = history.InBlobs(blobs)
	}
	if o.timeout > 0 {
		q.Stop = a.Until(o.timeout)
	}
	res, err := history.Search(ctx, st, q)
	if err != nil {
		return err
	}
	if o.sessions {
		printMatching(a.Out, res.Hits, o.limit)
		res.More = false
	} else if err := printHits(a, ctx, st, o, res.Hits); err != nil {
		return err
	}
	coverage(a, o, q, res)
	switch {
	case partly, res.Stopped:
		return exit.Silent(exit.Partly)
	case len(res.Hits) == 0:
		return nothingFound(o, strings.Join(args, " "), res.Suggestion)
	}
	return nil
}

// printHits prints results, with the project of each if several were searched.
func printHits(a *cli.Run, ctx context.Context, st workspace.Stores, o grepOptions, hits []history.Hit) error {
	for i, h := range hits {
		title, err := st.Title(ctx, h.Session)
		if err != nil {
			return err
		}
		v := viewOf(h, title)
		if from, ok := st.Of(h.Store); ok && o.scope == "all" {
			v.Project = h.Store
			if v.Root, err = from.Root(ctx); err != nil {
				return err
			}
		}
		if a.JSON {
			if err := a.Out.Line(v); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			a.Out.Printf("\n")
		}
		hit(a.Out, h, v, o.full)
	}
	return nil
}

// maxMatches is the number of results in which grep -l looks for sessions.
const maxMatches = 10_000

// printMatching prints the session of each result once.
func printMatching(w *cli.Out, hits []history.Hit, limit int) {
	seen := make(map[string]bool)
	for _, h := range hits {
		if !seen[h.Session] && len(seen) < limit {
			seen[h.Session] = true
			w.Printf("%s\n", text.TerminalLine(h.Session))
		}
	}
}

func nothingFound(o grepOptions, query, suggestion string) error {
	hint := "pictx grep --regex PATTERN, or fewer words"
	switch {
	case suggestion != "":
		hint = "did you mean: pictx grep " + text.TerminalLine(suggestion)
	case o.cursor != "":
		hint = "pictx grep QUERY"
	case o.regex || o.fixed:
		hint = "pictx grep WORDS"
	case history.LooksLikeRegex(query):
		hint = regexHint(query)
	}
	return exit.WithHint(exit.NotFound, hint, fmt.Errorf("nothing found for %q", query))
}

// regexHint suggests to search for a regular expression.
func regexHint(text string) string {
	return "this looks like a regular expression: pictx grep --regex '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// query parses the flags into a query.
func query(a *cli.Run, o grepOptions, args []string) (history.Query, error) {
	q := history.Query{
		Text: strings.Join(args, " "), Or: o.or, Regex: o.regex || o.fixed, CaseSensitive: o.caseSensitive,
		Limit: o.limit, Context: o.context, Newest: o.newest,
	}
	if o.fixed {
		q.Text = regexp.QuoteMeta(q.Text)
		for i := range q.Or {
			q.Or[i] = regexp.QuoteMeta(q.Or[i])
		}
	}
	if o.sessions {
		q.Limit = maxMatches
	}
	if o.cursor != "" {
		at, err := history.ParseCursor(o.cursor)
		if err != nil {
			return q, exit.UsageError("pictx grep QUERY", "%w", err)
		}
		q.Offset, q.Filter.Stored = at.Offset, at.Stored
	}
	if o.limit < 1 || o.context < 1 {
		return q, exit.UsageError("pictx grep --limit 20 QUERY", "--limit and --context must be at least 1")
	}
	if o.caseSensitive && !q.Regex {
		return q, exit.UsageError("pictx grep --regex --case-sensitive PATTERN", "--case-sensitive goes with --regex: words ignore case")
	}
	if o.full {
		q.Context = wholeText
	}
	return q, readFilter(a, &q.Filter, o.filterFlags)
}

// coverage explains on standard error how the results were found, if that matters.
func coverage(a *cli.Run, o grepOptions, q history.Query, res history.Result) {
	a.Out.Flush() // results come before remarks
	say := func(format string, args ...any) { fmt.Fprintf(a.Env.Err, format+"\n", args...) }
	if res.Stopped {
		say("pictx: stopped after %s: read %s of %s, the newest\nhint: go on with --before %s, or read on with --timeout 0",
			o.timeout, text.Thousands(int64(res.Scanned)), text.Count(res.Of, "text"), text.KnownTime(res.Next))
	}
	if res.SpillsLeft {
		say("pictx: there are more whole outputs than were searched, those used last\nhint: pictx blobs list")
	}
	if len(res.Hits) == 0 {
		return
	}
	if res.Suggestion != "" {
		say("hint: did you mean: pictx grep %s", text.TerminalLine(res.Suggestion))
	}
	if text := howMatched(res); text != "" {
		say("pictx: %s", text)
		switch {
		case history.LooksLikeRegex(q.Text):
			say("hint: %s", regexHint(q.Text))
		case res.Weak:
			say("hint: add words that the answer may have, such as names and errors: pictx grep QUERY --or PHRASING")
		}
	}
	if res.Since > 0 {
		since := text.KnownTime(res.Since)
		say("pictx: words that very many texts have were looked for back to %s only\nhint: older ones: --before %s, or add a word that is rarer", since, since)
	}
	if res.More {
		say("pictx: for more matches, add --cursor %s", history.Cursor{Offset: q.Offset + len(res.Hits), Stored: res.Stored})
	}
}

// howMatched says how results match that do not have a query's words as given, "" for others.
func howMatched(res history.Result) string {
	switch {
	case res.Weak:
		return "no entry has all the words; each of these has one of them, so they are guesses"
	case res.Step == history.StepSubstring:
		return "no entry has the words as given; these contain them inside longer words"
	case res.Step == history.StepAny:
		return "no entry has all the words; showing the closest"
	}
	return ""
}

// roleNames lists the values of --role.
func roleNames() []string { return []string{"user", "assistant", "tool", "bash", "custom", "summary"} }

// roles maps values of --role to pi's names of roles.
func roles(words []string) (out []string, err error) {
	for _, w := range words {
		names := recall.Roles(w)
		if names == nil {
			return nil, exit.UsageError("pictx grep --role user QUERY", "unknown --role %q: want %s", w, strings.Join(roleNames(), ", "))
		}
		out = append(out, names...)
	}
	return out, nil
}

// sessionFilter resolves --session and --scope session.
func sessionFilter(a *cli.Run, ctx context.Context, st workspace.Stores, o grepOptions) ([]string, error) {
	if o.session == "" {
		id := a.Env.Getenv("PI_SESSION_ID")
		switch {
		case o.scope != "session":
			return nil, nil
		case id == "":
			return nil, exit.UsageError("pictx grep --session ID QUERY", "no session given: this shell was not started by an agent (PI_SESSION_ID is not set)")
		}
		return st.Family(ctx, id)
	}
	rows, err := st.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	row, err := workspace.PickSession(rows, o.session)
	return []string{row.ID}, err
}

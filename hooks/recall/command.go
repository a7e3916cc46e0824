package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// commandLCM is the name of the command, which is pi-lcm's.
const commandLCM = "lcm"

// lcmHelp is shown by /lcm without a word.
const lcmHelp = `/lcm search [WORDS]          find what was said or printed, here and in earlier sessions
/lcm stats                   count its messages and summaries
/lcm tree                    list the summaries of this branch
/lcm export [FILE]           write the session to FILE: .md, .html, .json, .jsonl
/lcm compact [INSTRUCTIONS]  summarise old messages now`

// lcmVerbs lists the words of /lcm.
func lcmVerbs() []string { return []string{"search", "stats", "tree", "export", "compact"} }

// command runs /lcm.
func (s Summaries) command(ctx context.Context, c *hooks.Call) error {
	var p hooks.Command
	if err := c.Read(&p); err != nil {
		return err
	}
	verb, rest, _ := strings.Cut(strings.TrimSpace(p.Args), " ")
	rest = strings.TrimSpace(rest)
	switch verb {
	case "stats":
		return s.stats(ctx, c)
	case "tree":
		return s.tree(ctx, c)
	case "search":
		return s.search(ctx, c, rest)
	case "export":
		return s.export(ctx, c, rest)
	case "compact":
		c.Add(hooks.Compact(rest))
		return nil
	}
	if verb != "" && verb != "help" {
		c.Say(hooks.UnknownWord(commandLCM, verb, lcmVerbs())+"\n"+lcmHelp, "warning")
		return nil
	}
	c.Say(lcmHelp, "info")
	return nil
}

// stats counts the messages and summaries of the session.
func (s Summaries) stats(ctx context.Context, c *hooks.Call) error {
	v, st, err := s.view(ctx, c)
	if err != nil {
		return err
	}
	extracts := 0
	for _, l := range v.Cover.Leaves {
		if l.Kind == summary.Extract {
			extracts++
		}
	}
	summarised := "none of them summarised."
	if covered := v.Cover.Covered(); covered > 0 {
		summarised = fmt.Sprintf("%d of them summarised in %s. /lcm tree lists them.", covered, countSummaries(len(v.Nodes)))
	}
	out := text.CountPlain(len(v.Branch.Units), "message") + " on this branch, " + summarised
	if extracts > 0 {
		out += "\n" + countSummaries(extracts) + " extracted without a model. To have a model write them, in a shell: pictx compact"
	}
	messages, size, err := st.Counts.SummaryStats(ctx, c.Session.ID)
	if err != nil {
		return err
	}
	out += fmt.Sprintf("\n%s of this session can be searched: /lcm search. The history of this project takes %s.", text.CountPlain(messages, "message"), text.Megabytes(size))
	c.Say(out, "info")
	return nil
}

// export writes the session to a file. It does not overwrite an existing file.
func (s Summaries) export(ctx context.Context, c *hooks.Call, file string) error {
	ses, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	path, err := s.Export(ctx, c, ses, st.Summaries, file)
	if err != nil {
		c.Say(text.LogLine(err.Error()), "error")
		return nil
	}
	c.Say("Wrote "+text.LogLine(path)+".", "info")
	return nil
}

// treeLines is the maximum number of lines of a tree in a notice.
const treeLines = 100

func (s Summaries) tree(ctx context.Context, c *hooks.Call) error {
	v, _, err := s.view(ctx, c)
	if err != nil {
		return err
	}
	c.Say(cmp.Or(v.Tree(treeLines), "Nothing is summarised yet."), "info")
	return nil
}

// search asks the user for a query, lists the results and shows the entry that the user
// chooses. None of it is sent to the model.
func (s Summaries) search(ctx context.Context, c *hooks.Call, query string) error {
	if a, ok := c.Answered("hit"); ok {
		var chosen string
		if hooks.Decode(a.Value, &chosen) != nil || chosen == "" {
			return nil
		}
		return show(ctx, c, chosen)
	}
	if a, ok := c.Answered("query"); ok && hooks.Decode(a.Value, &query) != nil {
		return nil
	} else if query == "" && !ok {
		c.Ask(hooks.Ask{ID: "query", Kind: hooks.AskInput, Title: "Search the history", Placeholder: "words"})
		return nil
	}
	if query = strings.TrimSpace(query); query == "" {
		return nil
	}
	hits, err := find(ctx, c, query)
	if err != nil && !errors.Is(err, history.ErrEmptyQuery) {
		return err
	}
	if len(hits) == 0 {
		c.Say("No entry of this project's sessions matches "+text.LogLine(query)+".", "info")
		return nil
	}
	return choose(ctx, c, query, hits)
}

// find searches the session and then the project's others.
func find(ctx context.Context, c *hooks.Call, query string) (hits []history.Hit, err error) {
	const most = 20
	for _, scope := range []string{recall.ScopeSession, recall.ScopeProject} {
		st, err := c.Project.Search(ctx, scope)
		if err != nil {
			return nil, err
		}
		q := history.Query{Text: query, Limit: most, Context: 60}
		if scope == recall.ScopeSession {
			q.Filter.Sessions = []string{c.Session.ID}
		}
		found, err := history.Search(ctx, st.Search, q)
		if err != nil {
			return nil, err
		}
		for _, h := range found.Hits {
			if len(hits) < most && (scope == recall.ScopeSession) == (h.Session == c.Session.ID) {
				hits = append(hits, h)
			}
		}
	}
	return hits, nil
}

// choose lets the user pick one of the results, or lists them where there is no dialog. What is
// chosen is the id, the lines around the match, and the session.
func choose(ctx context.Context, c *hooks.Call, query string, hits []history.Hit) error {
	st, err := c.Project.Search(ctx, recall.ScopeProject)
	if err != nil {
		return err
	}
	ask := hooks.Ask{ID: "hit", Kind: hooks.AskSelect, Title: text.CountPlain(len(hits), "result") + " for " + text.LogLine(query)}
	var out []string
	for _, h := range hits {
		label := h.EntryID + "  " + text.ZonedMinute(h.Time) + "  " + text.LogLine(h.Speaker())
		if h.Session != c.Session.ID {
			title, err := st.Title(ctx, h.Session)
			if err != nil {
				return err
			}
			label += "  in " + cmp.Or(text.LogLine(title), history.ShortSession(h.Session))
		}
		label += "  " + h.Ellipsis(text.LogLine(h.Snippet))
		ask.Options = append(ask.Options, hooks.Option{Value: strings.Join([]string{h.EntryID, h.Around(), h.Session}, " "), Label: label})
		out = append(out, label)
	}
	if c.HasUI {
		c.Ask(ask)
		return nil
	}
	c.Say(strings.Join(out, "\n"), "info")
	return nil
}

// show shows the lines around a match to the user in a notice, which does not become part of
// the session.
func show(ctx context.Context, c *hooks.Call, chosen string) error {
	id, rest, _ := strings.Cut(chosen, " ")
	around, session, _ := strings.Cut(rest, " ")
	scope := recall.ScopeProject
	if session == c.Session.ID {
		scope = recall.ScopeSession
	}
	st, err := c.Project.Search(ctx, scope)
	if err != nil {
		return err
	}
	x, err := history.Expand(ctx, st.Entries, id, []string{session})
	if err != nil {
		return err
	}
	const head = 60 // lines of an entry in which the match has no line
	part := history.Slice{Head: head}
	if lines, err := history.ParseLineRange(around); err == nil {
		part = history.Slice{Lines: &lines}
	}
	shown, left := part.Of(x.Text())
	said := text.Printable(string(shown))
	if left > 0 {
		said = strings.TrimSuffix(said, "\n") + "\n… " + strings.TrimSpace("lines "+around) + " of a longer text; in a shell: pictx expand " + id
	}
	c.Say(said, "info")
	return nil
}

// completeLCM completes the word after /lcm.
func completeLCM(c *hooks.Call) error {
	var p hooks.Completion
	if err := c.Read(&p); err != nil {
		return err
	}
	c.Result().Items = hooks.CompleteWord(p.Prefix, lcmVerbs())
	return nil
}

// view returns the whole branch with its summaries, and the store that has them.
func (s Summaries) view(ctx context.Context, c *hooks.Call) (*summary.View, hooks.Stores, error) {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return nil, st, err
	}
	b, err := s.branch(ctx, c, "", summary.Options{})
	if err != nil {
		return nil, st, err
	}
	v, err := summary.ViewOf(ctx, st.Summaries, b)
	return v, st, err
}

// describe runs the tool that describes summaries.
func (s Summaries) describe(ctx context.Context, c *hooks.Call) error {
	var p hooks.ToolCall
	if err := c.Read(&p); err != nil {
		return err
	}
	var args struct {
		Section string `json:"section"`
		ID      string `json:"id"`
		Old     string `json:"summary_id"` // pi-lcm's name for it
	}
	if err := hooks.Decode(p.Params, &args); err != nil {
		c.Result().Error = "the arguments are not an object of texts. Call it like " + summary.DescribeTool + `(section="overview")`
		return nil
	}
	v, st, err := s.view(ctx, c)
	if err != nil {
		return err
	}
	a, err := v.DescribeText(ctx, st.Summaries, args.Section, args.ID+args.Old)
	return answer(c, a, err)
}

// answer adds a tool's answer to the reply. Errors that the model can correct are returned
// to the model.
func answer(c *hooks.Call, a recall.Answer, err error) error {
	var bad *recall.BadCallError
	switch {
	case errors.As(err, &bad):
		c.Result().Error = bad.Error()
	case err != nil:
		return err
	default:
		c.Result().Text, c.Result().Details = a.Text, a.Details
	}
	return nil
}

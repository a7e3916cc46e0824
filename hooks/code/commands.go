package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/code"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// commandKota is the name of the command. Its words are those of pi-kota.
const commandKota = "kota"

// help is shown by /kota without a word.
const help = `/kota status       whether the code is indexed, where, and by which settings
/kota index        index the code, or update the index
/kota restart      restart the index
/kota search WORDS find where something is done
/kota usages NAME  where a symbol is used, under whatever name
/kota deps FILE    what a file imports, and what imports it
/kota impact FILE  dependents of a change, and the tests that reach them
/kota pruning      what was pruned last, and why
/kota pin          pin the last code answer, else the last tool output
/kota blobs        list the full texts of shortened outputs
/kota purge-blobs  delete all of those, after asking
The model asks these questions itself. In a shell: pictx kota --help.`

// codeVerbs lists the words that need code in the project.
func codeVerbs() []string { return append([]string{"status", "index", "restart"}, questions()...) }

// questions lists the words that are followed by a question.
func questions() []string { return []string{"search", "usages", "deps", "impact"} }

// words lists the words of /kota. Those that need code come first, if the project has any.
func (s System) words(hasCode bool) []string {
	var out []string
	if hasCode {
		out = codeVerbs()
	}
	for _, w := range s.Words {
		out = append(out, w.Name)
	}
	return out
}

// complete completes the word after /kota.
func (s System) complete(c *hooks.Call) error {
	var p hooks.Completion
	if err := c.Read(&p); err != nil {
		return err
	}
	c.Result().Items = hooks.CompleteWord(p.Prefix, s.words(s.on(&c.Project.Config().Config)))
	return nil
}

// command runs /kota.
func (s System) command(ctx context.Context, c *hooks.Call) error {
	var p hooks.Command
	if err := c.Read(&p); err != nil {
		return err
	}
	args := strings.TrimSpace(p.Args)
	if word, about, _ := strings.Cut(args, " "); slices.Contains(questions(), word) {
		return s.question(ctx, c, word, strings.TrimSpace(about))
	}
	if slices.Contains(codeVerbs(), args) {
		return s.verb(ctx, c, args)
	}
	for _, w := range s.Words {
		if w.Name == args {
			return w.Run(ctx, c)
		}
	}
	if args != "" && args != "help" {
		c.Say(hooks.UnknownWord(commandKota, args, s.words(true))+"\n"+help, "warning")
		return nil
	}
	c.Say(help, "info")
	return nil
}

// verb runs /kota status, index and restart.
func (s System) verb(ctx context.Context, c *hooks.Call, verb string) error {
	p, ok, err := s.project(c)
	if err != nil || !ok {
		return err
	}
	switch verb {
	case "index":
		return s.index(ctx, c, p)
	case "restart":
		text, err := p.Index.Restart(ctx)
		if err != nil {
			c.Say(code.Printable(err.Error()), "error")
			return nil
		}
		c.Say(text, "info")
		return nil
	}
	return s.status(ctx, c, p)
}

// project opens the code of the project for a command. If there is none it tells the user and
// returns false.
func (s System) project(c *hooks.Call) (p code.Project, ok bool, err error) {
	if s.Present == nil || !s.Present() {
		c.Say("There is no TypeScript, JavaScript or Go in this project.", "info")
		return p, false, nil
	}
	p, err = s.Open(c.Request, c.Project.Config())
	return p, err == nil, err
}

// question runs /kota usages and the like: the user asks what the model asks with a tool, and
// the answer is shown to the user alone.
func (s System) question(ctx context.Context, c *hooks.Call, word, about string) error {
	p, ok, err := s.project(c)
	if err != nil || !ok {
		return err
	}
	if !p.Index.Exists() { // the question that /kota index asks comes first
		if err := s.index(ctx, c, p); err != nil || !p.Index.Exists() {
			return err
		}
	}
	words := strings.Fields(about)
	params := code.Params{Query: about, Files: words}
	switch {
	case len(words) == 0:
		needs := map[string]string{"search": "words to look for", "usages": "the name of a symbol"}
		c.Say("/kota "+word+" needs "+cmp.Or(needs[word], "a file")+".\n"+help, "warning")
		return nil
	case word == "usages":
		params.Symbol, params.File = words[0], strings.Join(words[1:], " ")
	case word == "deps":
		params.File = about
	}
	q, err := code.NewQuestion("kota_"+word, params)
	if err != nil {
		c.Say(err.Error(), "warning")
		return nil //nolint:nilerr // the user reads the error
	}
	if err := s.answer(ctx, c, p, q); err != nil {
		return err
	}
	r := c.Result()
	if r.Error != "" {
		c.Say(r.Error, "warning")
	} else {
		c.Say(r.Text, "info")
	}
	r.Error, r.Details = "", nil
	return nil
}

// index runs /kota index. Before the first index it asks even though the user typed the
// command: the question says what is read and where the index is stored.
func (s System) index(ctx context.Context, c *hooks.Call, p code.Project) error {
	if !p.Index.Exists() && c.HasUI && !c.Nested && c.Project.Config().Config.Kota.ConfirmIndex {
		answer, asked := c.Answered(askIndex)
		if !asked {
			c.Ask(indexQuestion(p))
			return nil
		}
		if string(answer.Value) != "true" {
			c.Say("Nothing was indexed.", "info")
			return nil
		}
	}
	if err := s.makeIndex(ctx, c, p); err != nil {
		text, level := code.Printable(err.Error()), "error"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			text = fmt.Sprintf("Indexing did not finish within %.0f s. To let it finish, in a shell: pictx kota index", hooks.AskedTime.Seconds())
		}
		c.Say(text, level)
		return nil
	}
	text, err := indexed(ctx, p)
	if err == nil {
		c.Say(text, "info")
	}
	return err
}

// status runs /kota status.
func (s System) status(ctx context.Context, c *hooks.Call, p code.Project) error {
	st, err := p.Index.Status(ctx)
	if err != nil {
		return err
	}
	set := c.Project.Config()
	text := []string{code.Printable(p.Name) + " is " + map[bool]string{true: "indexed.", false: "not indexed: /kota index indexes it."}[p.Index.Exists()]}
	text = append(text, "Engine: "+code.Printable(st.Engine), "Root: "+code.Printable(st.Root))
	if st.Index != "" {
		text = append(text, "Index: "+code.Printable(st.Index))
	}
	if st.Updated > 0 {
		text = append(text, "Last written: "+plain.Ago(time.UnixMilli(st.Updated), s.Now())+".")
	}
	text = append(text, st.Lines...)
	for _, key := range []string{"kota.enabled", "kota.engine", "kota.auto_context", "kota.confirm_index", "kota.max_bytes"} {
		if v, err := set.Get(key); err == nil {
			text = append(text, strings.TrimSpace("  "+key+" = "+v.Text+"  ("+v.Origin.String()+")"))
		}
	}
	c.Say(strings.Join(text, "\n"), "info")
	return nil
}

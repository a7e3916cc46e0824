package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/message"
)

const (
	// statusCode is the footer key of the code index.
	statusCode = "pictx.kota"
	// kotaEntry is the custom type of entries that record the user's answer to askIndex.
	kotaEntry = "pictx.kota"
	// askIndex is the id of the question before the first index.
	askIndex = "index"
)

// kotaData is the data of a kotaEntry.
type kotaData struct {
	Declined bool `json:"declined"`
}

// kotaStatus is the footer of the code index. It is empty unless the engine runs as a
// process that is not running.
func kotaStatus(p code.Project) Effect {
	switch process := p.Index.Process(); process {
	case "", "running":
		return Status(statusCode, "")
	default:
		return Status(statusCode, "code index "+process)
	}
}

// consent decides whether the first index may be made, and asks the user if that is open.
// explicit is set when the index itself was asked for.
func (s Kota) consent(ctx context.Context, c *Call, p code.Project, explicit bool) code.Decision {
	answer, answered := c.Answered(askIndex)
	d := code.Consent{
		Required: c.Project.Config().Config.Kota.ConfirmIndex, CanAsk: c.HasUI && !c.Nested, Explicit: explicit,
		Answered: answered, Agreed: answered && string(answer.Value) == "true",
		Declined: func() bool { return s.declined(ctx, c) },
	}.Decide()
	switch {
	case d == code.Ask:
		c.Ask(indexQuestion(p))
	case d == code.Refused && answered:
		c.Add(AppendEntry(kotaEntry, kotaData{Declined: true}))
	}
	return d
}

// indexQuestion asks whether to index the project.
func indexQuestion(p code.Project) Ask {
	title, text := p.ConsentQuestion()
	return Ask{ID: askIndex, Kind: AskConfirm, Title: title, Message: text}
}

// declined reports whether the user said no in this session.
func (Kota) declined(ctx context.Context, c *Call) bool {
	declined := false
	_ = eachCustom(ctx, c, kotaEntry, func(d kotaData, _ *message.Node) { declined = d.Declined })
	return declined
}

// eachCustom calls fn with the data of each custom entry of a type on the branch, oldest
// first. It skips entries whose data is not a T.
func eachCustom[T any](ctx context.Context, c *Call, kind string, fn func(data T, n *message.Node)) error {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	tree := sess.Entries()
	return eachCustomOf(sess, tree.Asides(c.Leaf(tree)), kind, fn)
}

// eachCustomOf is eachCustom for the custom entries among nodes.
func eachCustomOf[T any](sess Session, nodes []*message.Node, kind string, fn func(data T, n *message.Node)) error {
	for _, n := range nodes {
		if n.Type != message.EntryCustom || n.Message.CustomType != kind {
			continue
		}
		raw, err := sess.Line(n)
		if err != nil {
			return fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		var e struct {
			Data T `json:"data"`
		}
		if Decode(raw, &e) == nil {
			fn(e.Data, n)
		}
	}
	return nil
}

// updateIndex makes or updates the index and shows its progress in the footer.
func updateIndex(ctx context.Context, p code.Project, push func(...Effect)) error {
	shown, err := p.Update(ctx, func(percent int) {
		push(Status(statusCode, fmt.Sprintf("indexing code %d%%", percent)))
	})
	if shown || err != nil {
		push(kotaStatus(p))
	}
	return err
}

// makeIndex updates the index while the agent waits. It gives up the session first, because
// indexing may take long and other calls need it.
func (s Kota) makeIndex(ctx context.Context, c *Call, p code.Project) error {
	c.Project.Close()
	err := updateIndex(ctx, p, c.Push)
	c.Add(kotaStatus(p))
	if err == nil {
		c.Note("indexed " + p.Name)
	}
	return err
}

// tellIndexed describes the finished index to the model.
func (s Kota) tellIndexed(ctx context.Context, c *Call, p code.Project) error {
	st, err := p.Index.Status(ctx)
	if err != nil {
		return c.toolError(ctx, err)
	}
	c.Result().Text = "Indexed " + code.Printable(p.Name) + ".\n" + lines(st.Lines...)
	return nil
}

// verb runs /kota status, index and restart.
func (s Kota) verb(ctx context.Context, c *Call, verb string) error {
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
func (s Kota) project(c *Call) (p code.Project, ok bool, err error) {
	if s.Present == nil || !s.Present() {
		c.Say("There is no TypeScript, JavaScript or Go in this project.", "info")
		return p, false, nil
	}
	p, err = s.Open(c.Request, c.Project.Config())
	return p, err == nil, err
}

// question runs /kota usages and the like: the user asks what the model asks with a tool, and
// the answer is shown to the user alone.
func (s Kota) question(ctx context.Context, c *Call, word, about string) error {
	p, ok, err := s.project(c)
	if err != nil || !ok {
		return err
	}
	if !p.Index.Exists() {
		return s.status(ctx, c, p)
	}
	words := strings.Fields(about)
	params := code.Params{Query: about, Files: words}
	switch {
	case len(words) == 0:
		needs := map[string]string{"search": "words to look for", "usages": "the name of a symbol"}
		c.Say("/kota "+word+" needs "+cmp.Or(needs[word], "a file")+".\n"+kotaHelp, "warning")
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
func (s Kota) index(ctx context.Context, c *Call, p code.Project) error {
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
			text = fmt.Sprintf("Indexing did not finish within %.0f s. To let it finish, in a shell: pictx kota index", AskedTime.Seconds())
		}
		c.Say(text, level)
		return nil
	}
	st, err := p.Index.Status(ctx)
	if err != nil {
		return err
	}
	c.Say("Indexed "+code.Printable(p.Name)+".\n"+lines(st.Lines...), "info")
	return nil
}

// status runs /kota status.
func (s Kota) status(ctx context.Context, c *Call, p code.Project) error {
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
		text = append(text, "Last written: "+ago(s.Prune.Now(), st.Updated)+".")
	}
	text = append(text, st.Lines...)
	for _, key := range []string{"kota.enabled", "kota.engine", "kota.auto_context", "kota.confirm_index", "kota.max_bytes"} {
		if v, err := set.Get(key); err == nil {
			text = append(text, strings.TrimSpace("  "+key+" = "+v.Text+"  ("+v.Origin.String()+")"))
		}
	}
	c.Say(lines(text...), "info")
	return nil
}

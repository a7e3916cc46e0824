package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/message"
)

const (
	// statusCode is the key of the footer that says whether the project is indexed.
	statusCode = "pictx.kota"
	// kotaEntry is the type of the entries that remember what a person answered.
	kotaEntry = "pictx.kota"
	// askIndex is the question before the first index.
	askIndex = "index"
)

// kotaData is the data of a kotaEntry.
type kotaData struct {
	Declined bool `json:"declined"`
}

// kotaStatus is what the footer says of the code index: nothing, unless an engine that
// was chosen does not run.
func kotaStatus(p code.Project) Effect {
	switch process := p.Index.Process(); process {
	case "", "running":
		return Status(statusCode, "")
	default:
		return Status(statusCode, "code index "+process)
	}
}

// consent says whether the first index may be made, and asks a person who was not
// asked yet. explicit is set when the index is what was asked for.
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

// indexQuestion asks before the first index.
func indexQuestion(p code.Project) Ask {
	title, text := p.ConsentQuestion()
	return Ask{ID: askIndex, Kind: AskConfirm, Title: title, Message: text}
}

// declined reports whether a person said no in this session.
func (Kota) declined(ctx context.Context, c *Call) bool {
	said := false
	_ = eachCustom(ctx, c, kotaEntry, func(raw []byte, _ *message.Node) {
		var e struct {
			Data kotaData `json:"data"`
		}
		said = Decode(raw, &e) == nil && e.Data.Declined
	})
	return said
}

// eachCustom calls fn with the custom entries of a type on the branch, in order.
func eachCustom(ctx context.Context, c *Call, kind string, fn func(raw []byte, n *message.Node)) error {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	tree := sess.Entries()
	for _, n := range tree.Asides(c.Leaf(tree)) {
		if n.Type != message.EntryCustom || n.Message.CustomType != kind {
			continue
		}
		raw, err := sess.Line(n)
		if err != nil {
			return fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		fn(raw, n)
	}
	return nil
}

// updateIndex makes the index, or brings it up to date, and shows how far it is.
func updateIndex(ctx context.Context, p code.Project, push func(...Effect)) error {
	shown, err := p.Update(ctx, func(percent int) {
		push(Status(statusCode, fmt.Sprintf("indexing code %d%%", percent)))
	})
	if shown || err != nil {
		push(kotaStatus(p))
	}
	return err
}

// makeIndex updates the index while the agent waits. A dialog may have been open for
// long: the session is free for others meanwhile.
func (s Kota) makeIndex(ctx context.Context, c *Call, p code.Project) error {
	c.Project.Close()
	err := updateIndex(ctx, p, c.Push)
	c.Add(kotaStatus(p))
	if err == nil {
		c.Note("indexed " + p.Name)
	}
	return err
}

// tellIndexed says what an index holds.
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
	if s.Present == nil || !s.Present() {
		c.Say("There is no TypeScript, JavaScript or Go in this project.", "info")
		return nil
	}
	p, err := s.Open(c.Request, c.Project.Config())
	if err != nil {
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

// index runs /kota index. Who types it is asked all the same, once: it says what
// is read and where the index goes.
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

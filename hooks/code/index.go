package code

import (
	"context"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/hooks"
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
func kotaStatus(p code.Project) hooks.Effect {
	switch process := p.Index.Process(); process {
	case "", "running":
		return hooks.Status(statusCode, "")
	default:
		return hooks.Status(statusCode, "code index "+process)
	}
}

// consent decides whether the first index may be made, and asks the user if that is open.
// explicit is set when the index itself was asked for.
func (s System) consent(ctx context.Context, c *hooks.Call, p code.Project, explicit bool) code.Decision {
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
		c.Add(hooks.AppendEntry(kotaEntry, kotaData{Declined: true}))
	}
	return d
}

// indexQuestion asks whether to index the project.
func indexQuestion(p code.Project) hooks.Ask {
	title, text := p.ConsentQuestion()
	return hooks.Ask{ID: askIndex, Kind: hooks.AskConfirm, Title: title, Message: text}
}

// declined reports whether the user said no in this session.
func (System) declined(ctx context.Context, c *hooks.Call) bool {
	declined := false
	_ = hooks.EachCustom(ctx, c, kotaEntry, func(d kotaData, _ *message.Node) { declined = d.Declined })
	return declined
}

// updateIndex makes or updates the index and shows its progress in the footer.
func updateIndex(ctx context.Context, p code.Project, push func(...hooks.Effect)) error {
	shown, err := p.Update(ctx, func(percent int) {
		push(hooks.Status(statusCode, fmt.Sprintf("indexing code %d%%", percent)))
	})
	if shown || err != nil {
		push(kotaStatus(p))
	}
	return err
}

// makeIndex updates the index while the agent waits. It gives up the session first, because
// indexing may take long and other calls need it.
func (s System) makeIndex(ctx context.Context, c *hooks.Call, p code.Project) error {
	c.Project.Close()
	err := updateIndex(ctx, p, c.Push)
	c.Add(kotaStatus(p))
	if err == nil {
		c.Note("indexed " + p.Name)
	}
	return err
}

// indexed describes the finished index.
func indexed(ctx context.Context, p code.Project) (string, error) {
	st, err := p.Index.Status(ctx)
	return "Indexed " + code.Printable(p.Name) + ".\n" + strings.Join(st.Lines, "\n"), err
}

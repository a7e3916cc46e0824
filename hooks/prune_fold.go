package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
)

// shortenable reports whether there are results that the model has not seen and that may be
// shortened. It looks at their sizes alone.
func shortenable(ctx context.Context, c *Call) bool {
	_, path, err := c.Branch(ctx)
	if err != nil {
		return false
	}
	for _, n := range slices.Backward(path) {
		switch {
		case n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant:
			return false
		case n.Type == message.EntryMessage && policy.Shortenable(&n.Message):
			return true
		}
	}
	return false
}

// beforePrompt prunes or folds before a prompt. asked is set when the user asked for pruning.
func (s Prune) beforePrompt(ctx context.Context, c *Call, m prune.Moment, asked bool) error {
	m.Forced = asked
	choice, w := s.choice(c, asked), prune.WayPrune
	if !asked {
		var asks bool
		var err error
		if w, asks, err = s.comeback(ctx, c, m, choice); err != nil || asks {
			return err
		}
	}
	var k *Compaction
	var f *policy.Fold
	var failed error
	if w == prune.WayFold || w == prune.WayFresh {
		if k, f, failed = s.extract(ctx, c, m, w.Choice(choice)); k == nil {
			w = prune.WayPrune
		}
	}
	d, err := s.evaluate(ctx, c, m, w.Choice(choice))
	if err != nil {
		return errors.Join(err, failed)
	}
	s.addDecision(ctx, c, &d)
	if k != nil {
		addFold(c, k, f)
	}
	return failed
}

// wayEntry is the custom type of entries that record what the user chose for every prompt of a
// session that comes back to a lost cache.
const wayEntry = "pictx.comeback"

// wayData is the data of a wayEntry.
type wayData struct {
	Way prune.Way `json:"way"`
}

// The questions before a prompt that comes back to a lost cache, and the answer to the first that
// leads to the second.
const (
	askWay    = "comeback"
	askAlways = "always"
	modeRPC   = "rpc"
	rpcWait   = 30_000 // milliseconds: a program may have no one to ask
)

// comeback decides before a prompt whose cache is lost: folded, pruned or as it is. It returns
// how, or asks the user.
func (s Prune) comeback(ctx context.Context, c *Call, m prune.Moment, choice prune.Choice) (w prune.Way, asks bool, err error) {
	set := c.Project.Config().Config.Prune
	if s.Fold == nil || disabled(c) || !c.CanDo(CanFold) || choice.Planner == nil || set.Policy != config.PolicyAuto || !m.Model.Prices.Priced {
		return prune.WayPrune, false, nil
	}
	switch set.Fold {
	case config.FoldOff:
		return prune.WayPrune, false, nil
	case config.FoldAuto:
		return prune.WayFold, false, nil
	}
	_ = EachCustom(ctx, c, wayEntry, func(d wayData, _ *message.Node) { w = d.Way }) // the last one counts
	if slices.Contains(prune.Ways(), w) {
		return w, false, nil
	}
	if w, asks = answeredWay(c); w != "" {
		return w, false, nil
	}
	if !c.HasUI || c.Nested || !c.cacheCold && !moved(ctx, c) {
		return prune.WayPrune, false, nil
	}
	back, err := prune.ReadComeback(ctx, prunePorts(c), m, choice)
	if err != nil || back == nil || back.Of(prune.WayFold) == nil && back.Of(prune.WayFresh) == nil {
		return prune.WayPrune, false, err
	}
	now := back.Of(prune.WaySend)
	if m.Model.Prices.Dollars(now.Cost) < float64(set.AskCents)/100 {
		return prune.WayPrune, false, nil
	}
	askForWay(c, m, back, asks)
	return "", true, nil
}

// moved reports whether the session stands on another branch than its last response, so that its
// cache may be lost although that of the response is not.
func moved(ctx context.Context, c *Call) bool {
	session, path, err := c.Branch(ctx)
	if err != nil {
		return false
	}
	for i := range slices.Backward(session.Entries().Nodes) {
		if n := &session.Entries().Nodes[i]; n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant {
			return !slices.Contains(path, n)
		}
	}
	return false
}

// answeredWay returns what the user chose, "" as long as nothing was; always is set when the choice
// for the rest of the session is still to be made.
func answeredWay(c *Call) (w prune.Way, always bool) {
	a, ok := c.Answered(askAlways)
	if !ok {
		a, ok = c.Answered(askWay)
		always = true
	}
	if !ok {
		return "", false
	}
	var value string
	switch {
	case a.Cancelled || a.Error != "" || Decode(a.Value, &value) != nil:
		if c.Mode == modeRPC { // there may be no one: one prompt has waited, and no other does
			c.Result().Entries = append(c.Result().Entries, CustomEntry(wayEntry, wayData{prune.WayPrune}))
		}
		return prune.WayPrune, false
	case value == askAlways:
		return "", true
	}
	if w = prune.Way(value); !always {
		c.Result().Entries = append(c.Result().Entries, CustomEntry(wayEntry, wayData{w}))
	}
	return w, false
}

// askForWay asks what to do before a prompt that comes back to a lost cache; always is set when the
// answer is to hold for the rest of the session.
func askForWay(c *Call, m prune.Moment, back *prune.Comeback, always bool) {
	p := &m.Model.Prices
	ask := Ask{ID: askWay, Kind: AskSelect, Title: back.Title(m.Now, p)}
	if always {
		ask.ID, ask.Title = askAlways, "Before every such prompt of this session:"
	}
	if c.Mode == modeRPC {
		ask.TimeoutMS = rpcWait
	}
	for i := range back.Offers {
		o := &back.Offers[i]
		label := o.Text(p)
		if always {
			label = o.Way.Label()
		}
		ask.Options = append(ask.Options, Option{Value: string(o.Way), Label: label})
	}
	if !always {
		ask.Options = append(ask.Options, Option{Value: askAlways, Label: "Choose for the rest of this session…"})
	}
	c.Ask(ask)
	c.Note("asks what to do: the cache is lost")
}

// extract returns the compaction that folds the conversation, with what it replaces. Both are nil
// when there is nothing to fold, or nothing can be said of it: then old output is pruned alone.
func (s Prune) extract(ctx context.Context, c *Call, m prune.Moment, choice prune.Choice) (*Compaction, *policy.Fold, error) {
	m.Dry = true
	d, err := s.evaluate(ctx, c, m, choice)
	if err != nil || d.Fold == nil {
		return nil, nil, err
	}
	k, err := s.Fold(ctx, c, d.Fold.EntryID, d.Fold.Summary)
	if err != nil {
		return nil, nil, fmt.Errorf("fold the conversation: %w", err)
	}
	return k, d.Fold, nil
}

// addFold adds the compaction that replaces the beginning of the conversation. It comes after the
// edits behind it: an agent that is killed in between has lost nothing but thinking.
func addFold(c *Call, k *Compaction, f *policy.Fold) {
	c.Result().Entries = append(c.Result().Entries, Entry{Type: "compaction", Summary: k.Summary, FirstKeptID: message.AppendQuote(nil, k.FirstKeptID), Details: k.Details})
	c.Note("folded what came before the last responses")
	c.Add(Notify(fmt.Sprintf("pictx folded what came before the last responses into an extract, about %s tokens less: %s. /tree goes back to before.",
		text.Tokens(f.Tokens-f.Summary), f.Why), "info"))
}

package hooks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/marker"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Prune prunes old tool output from the context. An agent that records context edits in its
// session gets each edit once, as an entry. Any other agent gets all edits in force before
// every request.
type Prune struct {
	// Choice returns the planner of the settings. asked is set when the user asked for pruning.
	Choice func(c config.Config, asked bool) prune.Choice
	// Fold returns the compaction that replaces all before an entry by an extract of at most so
	// many tokens. It may be nil.
	Fold func(ctx context.Context, c *Call, first string, most token.Count) (*Compaction, error)
	// Now is the clock.
	Now func() time.Time
	// LongCache is set when providers cache prompts for an hour.
	LongCache bool
	// Objects lists the objects of a session that match a query. It may be nil.
	Objects func(ctx context.Context, c *Call, query string) (string, error)
}

// statusPrune is the footer key of pruning.
const statusPrune = "pictx.prune"

// Name implements System.
func (Prune) Name() string { return "prune" }

// Declare implements System.
func (Prune) Declare(set *config.Config, h *Hello) {
	if set.Prune.Fold != config.FoldOff {
		h.Timeouts.Events[EventBeforeAgent] = int(foldTime.Milliseconds())
	}
	h.Commands = append(h.Commands, pruneCommands()...)
	h.Want(EventSessionStart, EventBeforeAgent, EventContext, EventToolCall, EventTurnEnd, EventAgentEnd, EventCacheWarming, EventTree, EventCompact)
	h.Suspect = append(h.Suspect, marker.Start)
}

// Handle implements System.
//
// New results are shortened before they are sent. What was sent changes at the boundaries of
// turns only: before a prompt, after a compaction, and when the user asks while no turn is
// running. Models that do not bind their thinking to what precedes it are an exception: once
// the cache is cold, a response of a running turn may be followed by changes, too.
func (s Prune) Handle(ctx context.Context, c *Call) error {
	c.switchedOff = toggledOff(ctx, c)
	unbound := !c.binds()
	if c.Is(EventBeforeAgent, EventCompact) || c.Is(EventTurnEnd) && unbound {
		c.cacheCold = s.cacheIsCold(ctx, c)
	}
	switch c.Event {
	case EventSessionStart, EventTree, EventAgentEnd:
		return s.show(ctx, c)
	case EventBeforeAgent:
		return s.beforeAgent(ctx, c)
	case EventCompact:
		next(c)
		m := s.moment(c)
		m.Boundary = true
		_, err := s.decide(ctx, c, m, false)
		return err
	case EventTurnEnd:
		if !c.CanDo(CanContextEdit) || disabled(c) || !unbound && !shortenable(ctx, c) {
			return nil
		}
		_, err := s.decide(ctx, c, s.moment(c), false)
		return err
	case EventToolCall:
		return refuseMarkers(ctx, c)
	case EventCacheWarming:
		return s.keepWarm(ctx, c)
	case EventContext:
		if inPools(c) { // Objects handles it
			return nil
		}
		return s.context(ctx, c)
	case EventCommand:
		return s.command(ctx, c)
	case EventComplete:
		var p Completion
		if err := c.Read(&p); err != nil {
			return err
		}
		return s.completePins(ctx, c, p.Prefix)
	}
	return nil
}

// refuseMarkers stops a call with an argument that is a marker, or has one in what it writes: the
// model has copied a reference to pruned text where it meant the text. Tools that act on that text take the id in it.
func refuseMarkers(ctx context.Context, c *Call) error {
	var p ToolCalled
	if err := c.Read(&p); err != nil {
		return err
	}
	if slices.Contains(append(policy.ManageTools(), "lcm_expand"), p.ToolName) {
		return nil
	}
	known := func(id string) bool {
		s, err := c.Project.Session(ctx)
		return err == nil && s.Entries().Lookup(id) != nil
	}
	if found := marker.InArguments(p.Input, known); found != "" {
		c.Result().Block = true
		c.Result().Error = "An argument of this call is a reference to text that was pruned from the conversation, not the text itself: " + found
		c.Note("refused a call with a marker")
	}
	return nil
}

// disabled reports whether pruning is off, by a setting or by the user for this session.
func disabled(c *Call) bool {
	set := c.Project.Config().Config.Prune
	return !set.Enabled || set.Mode == config.ModeOff || c.switchedOff
}

// branchOf reads the current branch of the session.
func branchOf(ctx context.Context, c *Call) (*prune.Branch, error) {
	b, _, err := prune.ReadBranch(ctx, prunePorts(c), c.Session.ID, c.Session.LeafID)
	return b, err
}

// prunePorts returns the ports of core/prune for a call.
func prunePorts(c *Call) prune.Ports {
	open := func(ctx context.Context) (message.Session, error) { return c.Project.Session(ctx) }
	p := prune.Ports{Session: open, Marks: callStore{c}, Pins: callStore{c}}
	if c.Project.Config().Config.Objects.Enabled {
		p.States = callStore{c}
	}
	return p
}

// callStore implements the store ports of core/prune for a call. It opens the store on
// first use.
type callStore struct{ *Call }

// stored reads something from the store of a call. A store is not created only to find it empty.
func stored[T any](ctx context.Context, c *Call, read func(Stores) ([]T, error)) ([]T, error) {
	if c.Project.Opened == nil && disabled(c) {
		return nil, nil
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return nil, err
	}
	return read(st)
}

// Marks implements prune.MarkStore.
func (s callStore) Marks(ctx context.Context, session string) ([]prune.Mark, error) {
	return stored(ctx, s.Call, func(st Stores) ([]prune.Mark, error) { return st.Marks.Marks(ctx, session) })
}

// Pins implements prune.PinReader.
func (s callStore) Pins(ctx context.Context, session string) ([]prune.Pin, error) {
	return stored(ctx, s.Call, func(st Stores) ([]prune.Pin, error) { return st.Pins.Pins(ctx, session) })
}

// AddMarks implements prune.MarkStore.
func (s callStore) AddMarks(ctx context.Context, session string, marks []prune.Mark) error {
	st, err := s.Project.Store(ctx)
	if err != nil {
		return err
	}
	return st.Marks.AddMarks(ctx, session, marks)
}

// show puts the state of pruning into the footer, and tells the agent whether to send
// context events.
func (s Prune) show(ctx context.Context, c *Call) error {
	next(c)
	if disabled(c) {
		c.Add(Status(statusPrune, s.footer(ctx, c, nil, 0)))
		return nil
	}
	m := s.moment(c)
	m.Dry = true
	d, err := s.evaluate(ctx, c, m, prune.Choice{})
	if err != nil {
		return err
	}
	c.Add(Status(statusPrune, s.footer(ctx, c, d.Branch, d.Branch.LeftOut())))
	return d.Unread
}

// next tells the agent whether to send context events: only one that does not record edits
// itself needs them.
func next(c *Call) {
	c.Reply.Next = &Next{Context: ContextAsk}
	if c.CanDo(CanContextEdit) && !inPools(c) {
		c.Reply.Next.Context = ContextSkip
	}
}

// beforeAgent prunes before the first request of a run: the user's new turn may make earlier
// output old enough. What the user asked for while the last turn was running is done now.
func (s Prune) beforeAgent(ctx context.Context, c *Call) error {
	next(c)
	if !c.CanDo(CanContextEdit) {
		return nil
	}
	sayWhatBindingLimits(c)
	asked, err := waiting(ctx, c)
	switch {
	case err != nil:
		return err
	case slices.Contains(asked.Restore, restoreAll):
		_, err := s.undo(ctx, c)
		return err
	}
	back, err := restoredNow(ctx, c, asked.Restore)
	if err != nil {
		return err
	}
	m := s.moment(c)
	m.Prompt, m.Boundary, m.Restored = true, true, entriesOf(back)
	err = s.beforePrompt(ctx, c, m, asked.Prune && !disabled(c))
	showAgain(c, back)
	return err
}

// sayWhatBindingLimits tells the user once what a setting cannot do with a model that binds its
// thinking to what precedes it.
func sayWhatBindingLimits(c *Call) {
	set := c.Project.Config().Config
	if !c.opens() || !c.binds() {
		return
	}
	if p := set.Prune; p.Enabled && p.Mode != config.ModeOff && p.Policy != config.PolicyAuto {
		c.Add(Notify("The policy "+string(p.Policy)+" prunes before your prompts only: the thinking of this model would become invalid by a change inside a turn.", "info"))
	}
	if o := set.Objects; o.Enabled && o.Layout == config.LayoutPools {
		c.Add(Notify("The layout pools is replaced by inline: it changes every request, and the thinking of this model would become invalid.", "info"))
	}
}

// moment describes the present state of the session to the planner.
func (s Prune) moment(c *Call) prune.Moment {
	return prune.Moment{
		Session: c.Session.ID, Leaf: c.Session.LeafID, Now: s.Now().UnixMilli(), CWD: c.CWD,
		Model: s.model(c),
	}
}

// cacheIsCold reports whether the next request is billed as a whole. The cache times of a
// session in memory are unknown. After its compaction the cache is taken to be cold, since
// only tools can then bring back what the compaction removed.
func (s Prune) cacheIsCold(ctx context.Context, c *Call) bool {
	session, err := c.Project.Session(ctx)
	if err != nil {
		return false
	}
	if len(session.Entries().Nodes) == 0 {
		return c.Is(EventCompact)
	}
	m := prune.Moment{Leaf: c.Leaf(session.Entries()), Now: s.Now().UnixMilli(), Model: s.model(c)}
	return prune.Writes(session, m)
}

// model returns the model of a call with its prices.
func (s Prune) model(c *Call) prune.Model {
	m := c.Model
	if m == nil {
		m = &Model{}
	}
	out := prune.Model{Provider: m.Provider, ID: m.ID, Window: token.Count(m.ContextWindow), Binding: m.Binding()}
	out.Prices, out.KnownPrices = s.prices(c), m.Cost.Input > 0 && m.Cost.CacheRead > 0 && m.Cost.CacheRead <= m.Cost.Input
	return out
}

// choice selects the planner by the settings. asked is set when the user asked for pruning.
func (s Prune) choice(c *Call, asked bool) prune.Choice {
	set := c.Project.Config().Config
	set.Prune.Enabled = set.Prune.Enabled && !c.switchedOff
	if set.Objects.Layout == config.LayoutPools && !inPools(c) {
		set.Objects.Layout = config.LayoutInline
	}
	set.Prune.Fold = config.FoldOff // comeback decides on that
	return s.Choice(set, asked)
}

// decide decides what to prune and adds it to the reply. asked is set when the user asked
// for pruning.
func (s Prune) decide(ctx context.Context, c *Call, m prune.Moment, asked bool) (prune.Decision, error) {
	m.Forced = asked
	d, err := s.evaluate(ctx, c, m, s.choice(c, asked))
	if err == nil {
		s.addDecision(ctx, c, &d)
	}
	return d, err
}

// evaluate decides what to prune. Pins and states that were set outside the session are
// added to the reply, because only the agent may write the session.
func (s Prune) evaluate(ctx context.Context, c *Call, m prune.Moment, choice prune.Choice) (prune.Decision, error) {
	d, err := prune.Decide(ctx, prunePorts(c), m, choice)
	carryPins(c, d.Pins)
	if !state.Activates(d.States) { // Objects carries those with what it brings
		carryStates(c, d.States)
	}
	if err == nil && d.Unread == nil && d.Totals.Pruned > 0 {
		c.shortened = new(true)
	}
	return d, err
}

// addDecision adds a decision to the reply. The newest messages come first: an agent that is
// killed in between has thinking left only before everything that changed.
func (s Prune) addDecision(ctx context.Context, c *Call, d *prune.Decision) {
	if c.CanDo(CanContextEdit) {
		for i := range slices.Backward(d.Tell) {
			c.Result().Entries = append(c.Result().Entries, EditEntry(d.Tell[i].EntryID, d.Tell[i].Content()))
		}
		if d.New > 0 {
			c.Result().Entries = append(c.Result().Entries, CustomEntry(prune.DecisionEntry, decisionData(d)))
		}
	} else if d.New > 0 {
		c.Add(AppendEntry(prune.MarksEntry, marksData(d.Tell[len(d.Tell)-d.New:], d)))
	}
	if d.New > 0 || c.Is(EventCompact, EventContext) {
		c.Add(Status(statusPrune, s.footer(ctx, c, d.Branch, d.Branch.LeftOut()+d.BeforeTokens-d.AfterTokens)))
	}
	if d.New == 0 {
		return
	}
	c.Note(fmt.Sprintf("pruned %s, %v tokens", describeNew(d), d.PrunedTokens))
	if d.First && !d.OnlyClears() {
		c.Add(Notify(firstNotice(d), "info"))
	}
}

// describeNew describes what a decision prunes in addition to earlier ones.
func describeNew(d *prune.Decision) string { return describePruned(d.New-d.Trimmed(), d.Trimmed()) }

// describeBranch describes everything that is pruned on a branch.
func describeBranch(b *prune.Branch) string {
	responses := 0
	for _, p := range b.Pruned() {
		if p.ToolName == "" {
			responses++
		}
	}
	return describePruned(len(b.Pruned())-responses, responses)
}

// firstNotice is shown when a session is pruned for the first time.
func firstNotice(d *prune.Decision) string {
	what, tokens := describeNew(d), text.Tokens(d.PrunedTokens)
	if d.Shortened() == d.New {
		return fmt.Sprintf("pictx shortened %s by %s tokens before the model sees it. The session keeps the whole, and the model can ask for it; /pictx explains.", what, tokens)
	}
	return fmt.Sprintf("pictx pruned %s (%s tokens) from all further requests. The session keeps the originals; /pictx explains.", what, tokens)
}

// context replies with every edit in force, for an agent that does not record edits.
func (s Prune) context(ctx context.Context, c *Call) error {
	var p ContextKeys
	if err := c.Read(&p); err != nil {
		return err
	}
	next(c)
	m := s.moment(c)
	m.Keys = keysOf(p.Keys)
	m.Boundary = startsTurn(m.Keys)
	var choice prune.Choice
	if !c.CanDo(CanContextEdit) { // with context edits, before_agent_start decides
		choice = s.choice(c, false)
	}
	d, err := s.evaluate(ctx, c, m, choice)
	if err != nil {
		return err
	}
	if d.Unread != nil && len(d.Tell) == 0 {
		return d.Unread
	}
	c.Result()
	for i := range d.Tell {
		if index, ok := d.At[d.Tell[i].EntryID]; ok {
			c.Reply.Result.Edits = append(c.Reply.Result.Edits, ContextEdit{Index: &index, Content: d.Tell[i].Content()})
		}
	}
	if !c.CanDo(CanContextEdit) {
		s.addDecision(ctx, c, &d)
	}
	return d.Unread
}

// startsTurn reports whether a request begins a turn: after the user's prompt the model has said
// nothing yet, and its last response was complete. A prompt that follows tool results may have
// been sent into a running turn.
func startsTurn(keys []prune.Key) bool {
	prompt := false
	for _, k := range slices.Backward(keys) {
		switch k.Role {
		case message.RoleUser:
			prompt = true
		case message.RoleAssistant:
			return prompt
		case message.RoleToolResult:
			return false
		}
	}
	return prompt
}

func keysOf(keys []MessageKey) []prune.Key {
	out := make([]prune.Key, len(keys))
	for i, k := range keys {
		out[i] = prune.Key{Role: message.Role(k.Role), Timestamp: int64(k.Timestamp), ToolCallID: k.ToolCallID}
	}
	return out
}

// decisionRecord is the record of a decision in the session, besides its edits.
type decisionRecord struct {
	Outcome string `json:"outcome"`
	// Results counts all edits; Responses those that trim a response.
	Results      int         `json:"results"`
	Responses    int         `json:"responses,omitempty"`
	PrunedTokens token.Count `json:"prunedTokens"`
	BeforeTokens token.Count `json:"beforeTokens"`
	AfterTokens  token.Count `json:"afterTokens"`
}

func decisionData(d *prune.Decision) decisionRecord {
	return decisionRecord{d.Outcome, d.New, d.Trimmed(), d.PrunedTokens, d.BeforeTokens, d.AfterTokens}
}

// marksData is the data of a MarksEntry with the record of its decision.
func marksData(marks []prune.Mark, d *prune.Decision) any {
	data := struct {
		prune.MarksData
		Decision decisionRecord `json:"decision"`
	}{Decision: decisionData(d)}
	for _, m := range marks {
		data.Marks = append(data.Marks, prune.MarkData{ID: m.EntryID, Marker: m.Marker})
	}
	return data
}

// footer is the footer of pruning: the savings, or that pruning is off. pruned is how many
// tokens shorter the requests are.
func (s Prune) footer(ctx context.Context, c *Call, read *prune.Branch, pruned token.Count) string {
	if disabled(c) {
		return "pruning off"
	}
	return bill.Footer(s.bill(ctx, c, read), pruned)
}

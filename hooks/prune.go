package hooks

import (
	"context"
	"fmt"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Prune takes old tool output out of the context. An agent that keeps context
// edits in its session gets each once, as an entry; one that does not is told all
// that are in force before every call of the model.
type Prune struct {
	// Planner returns the planner of the settings, or why nothing is pruned. asked is
	// set when the user asks for it.
	Planner func(c config.Config, asked bool) (*prune.Planner, string)
	// Deactivated returns the planner of what was deactivated while there is no other,
	// nil for none. It may be nil.
	Deactivated func(c config.Config) *prune.Planner
	// Now is the clock of marks.
	Now func() time.Time
	// LongCache is set when the user has providers keep prompts for an hour.
	LongCache bool
	// Memory is that of a process that stays, nil where each event has one of its own.
	Memory *prune.Memory
	// Objects lists the objects of the session of a call that match a query. It may be nil.
	Objects func(ctx context.Context, c *Call, query string) (string, error)
}

const (
	// statusPrune is the key of the footer.
	statusPrune = "pictx.prune"
)

// Name implements System.
func (Prune) Name() string { return "prune" }

// Declare implements System.
func (Prune) Declare(_ *config.Config, h *Hello) {
	h.Commands = append(h.Commands, pruneCommands()...)
	h.Want(EventSessionStart, EventBeforeAgent, EventContext, EventTurnEnd, EventBeforeSettle, EventAgentEnd, EventTree, EventCompact)
}

// Handle implements System.
func (s Prune) Handle(ctx context.Context, c *Call) error {
	c.switchedOff = toggledOff(ctx, c)
	if c.Is(EventBeforeAgent, EventTurnEnd, EventCompact) {
		c.rewritten = s.writes(ctx, c)
	}
	if s.off(c) {
		s.next(c)
		if c.Is(EventSessionStart, EventTree) {
			c.Add(Status(statusPrune, s.footer(ctx, c, nil)))
		}
		return nil
	}
	switch c.Event {
	case EventSessionStart, EventTree, EventCompact:
		return s.show(ctx, c)
	case EventBeforeAgent:
		return s.beforeAgent(ctx, c)
	case EventAgentEnd: // others have shown the last request before they settled
		if c.CanDo(CanContextEdit) {
			return nil
		}
		return s.show(ctx, c)
	case EventTurnEnd, EventBeforeSettle:
		if !c.CanDo(CanContextEdit) {
			return nil
		}
		_, err := s.decide(ctx, c, s.moment(ctx, c), false)
		return err
	case EventContext:
		if inPools(c) { // Objects lays it out
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

// off reports whether an event can be left alone because pruning is switched off.
// What was pruned before stays so, where the agent has to be told each time.
func (s Prune) off(c *Call) bool {
	set := c.Project.Config().Config
	objects := set.Objects.Enabled && set.History.Enabled // what is deactivated leaves all the same
	return s.disabled(c) && !objects && !c.Is(EventContext, EventCommand, EventComplete)
}

// disabled reports whether the settings, or the user for this session, have switched
// pruning off.
func (Prune) disabled(c *Call) bool {
	set := c.Project.Config().Config.Prune
	return !set.Enabled || set.Mode == config.ModeOff || c.switchedOff
}

// branch reads the session as it stands.
func (Prune) branch(ctx context.Context, c *Call) (*prune.Branch, error) {
	b, _, err := prune.ReadBranch(ctx, prunePorts(c), c.Session.ID, c.Session.LeafID)
	return b, err
}

// prunePorts are what deciding for the session of a call asks.
func prunePorts(c *Call) prune.Ports {
	open := func(ctx context.Context) (prune.Session, error) { return c.Project.Session(ctx) }
	p := prune.Ports{Session: open, Marks: callStore{c}, Pins: callStore{c}}
	if c.Project.Config().Config.Objects.Enabled {
		p.States = callStore{c}
	}
	return p
}

// callStore is the store of a call as pruning sees it: opened when it is first asked.
type callStore struct{ *Call }

// Marks implements prune.MarkStore.
func (s callStore) Marks(ctx context.Context, session string) ([]prune.Mark, error) {
	st, err := s.Project.Store(ctx)
	if err != nil {
		return nil, err
	}
	return st.Marks.Marks(ctx, session)
}

// AddMarks implements prune.MarkStore.
func (s callStore) AddMarks(ctx context.Context, session string, marks []prune.Mark) error {
	st, err := s.Project.Store(ctx)
	if err != nil {
		return err
	}
	return st.Marks.AddMarks(ctx, session, marks)
}

// Pins implements prune.PinReader.
func (s callStore) Pins(ctx context.Context, session string) ([]prune.Pin, error) {
	st, err := s.Project.Store(ctx)
	if err != nil {
		return nil, err
	}
	return st.Pins.Pins(ctx, session)
}

// show puts what is pruned into the footer, and says whether context events are
// needed.
func (s Prune) show(ctx context.Context, c *Call) error {
	s.next(c)
	m := s.moment(ctx, c)
	m.Dry = true
	d, err := s.ask(ctx, c, m, s.choice(c, false))
	if err != nil {
		return err
	}
	c.Add(Status(statusPrune, s.footer(ctx, c, &d)))
	return d.Unread
}

// next says whether the coming context events have to be asked: only of an agent
// that keeps no edits itself.
func (Prune) next(c *Call) {
	c.Reply.Next = &Next{Context: ContextAsk}
	if c.CanDo(CanContextEdit) && !inPools(c) {
		c.Reply.Next.Context = ContextSkip
	}
}

// beforeAgent prunes before the first call of a run: the user's new turn may be
// what makes old output old.
func (s Prune) beforeAgent(ctx context.Context, c *Call) error {
	s.next(c)
	if !c.CanDo(CanContextEdit) {
		return nil
	}
	m := s.moment(ctx, c)
	m.Prompt = true
	_, err := s.decide(ctx, c, m, false)
	return err
}

// moment is where the session of a call stands now.
func (s Prune) moment(ctx context.Context, c *Call) prune.Moment {
	return prune.Moment{
		Session: c.Session.ID, Leaf: c.Session.LeafID, Now: s.Now().UnixMilli(), CWD: c.CWD,
		Model: s.model(c), Declared: declared(ctx, c),
	}
}

// writes reports whether the coming request is written as a whole. Of a session that is kept
// in memory that is not known: what a compaction takes away can then be had by tools alone.
func (s Prune) writes(ctx context.Context, c *Call) bool {
	session, err := c.Project.Session(ctx)
	if err != nil {
		return false
	}
	if len(session.Entries().Nodes) == 0 {
		return c.Is(EventCompact)
	}
	m := prune.Moment{Leaf: c.Leaf(session.Entries()), Now: s.Now().UnixMilli(), Model: s.model(c)}
	yes, err := prune.Writes(session, m)
	return err == nil && yes
}

// model is the model of a call with its prices.
func (s Prune) model(c *Call) prune.Model {
	m := c.Model
	if m == nil {
		m = &Model{}
	}
	out := prune.Model{Provider: m.Provider, ID: m.ID, Window: token.Count(m.ContextWindow)}
	cost := token.ModelCost{Input: m.Cost.Input, CacheRead: m.Cost.CacheRead, CacheWrite: m.Cost.CacheWrite, Output: m.Cost.Output}
	out.Prices, out.KnownPrices = token.PricesOf(m.API, cost, s.LongCache)
	if ttl := bill.CacheTime(m.PromptCache, s.LongCache); ttl > 0 {
		out.Prices.TTL = ttl
	}
	return out
}

// choice is the planner of the settings. asked is set when the user asks for pruning.
func (s Prune) choice(c *Call, asked bool) (o prune.Choice) {
	set := c.Project.Config().Config
	set.Prune.Enabled = set.Prune.Enabled && !c.switchedOff
	if o.Planner, o.Why = s.Planner(set, asked); o.Planner == nil && s.Deactivated != nil {
		o.Deactivated = s.Deactivated(set)
	}
	return o
}

// decide decides, and hands the agent what it has to keep. asked is set when the user
// asks for pruning.
func (s Prune) decide(ctx context.Context, c *Call, m prune.Moment, asked bool) (prune.Decision, error) {
	m.Forced = asked
	d, err := s.ask(ctx, c, m, s.choice(c, asked))
	if err == nil {
		s.tell(ctx, c, &d)
	}
	return d, err
}

// ask decides, and has the session carry what was said outside it: the agent alone may
// write it.
func (s Prune) ask(ctx context.Context, c *Call, m prune.Moment, choice prune.Choice) (prune.Decision, error) {
	ports := prunePorts(c)
	ports.Memory = s.Memory
	d, err := prune.Decide(ctx, ports, m, choice)
	carryPins(c, d.Pins)
	carryStates(c, d.States)
	if !m.Dry && d.Figures != nil && d.Figures.NoWarm {
		c.Note("the cache held less than its prices promise: only a cold one is rewritten")
	}
	return d, err
}

// tell puts a decision into the reply.
func (s Prune) tell(ctx context.Context, c *Call, d *prune.Decision) {
	if c.CanDo(CanContextEdit) {
		for i := range d.Tell {
			c.Result().Entries = append(c.Result().Entries, EditEntry(d.Tell[i].EntryID, d.Tell[i].Content()))
		}
		if d.New > 0 {
			c.Result().Entries = append(c.Result().Entries, CustomEntry(prune.DecisionEntry, decisionData(d)))
		}
	} else if d.New > 0 {
		c.Add(AppendEntry(prune.MarksEntry, marksData(d.Tell[len(d.Tell)-d.New:], d)))
	}
	if d.New > 0 || c.Is(EventBeforeSettle, EventContext) {
		c.Add(Status(statusPrune, s.footer(ctx, c, d)))
	}
	if d.New == 0 {
		return
	}
	c.Note(fmt.Sprintf("pruned %s, %v tokens", newlyLeft(d), d.PrunedTokens))
	if d.First {
		c.Add(Notify(firstNotice(d, c.Project.Config().Config.Prune.Policy), "info"))
	}
}

// newlyLeft names what a decision that was just made leaves out.
func newlyLeft(d *prune.Decision) string { return left(d.New-d.Trimmed(), d.Trimmed()) }

// prunedOn names what is pruned on a branch.
func prunedOn(b *prune.Branch) string {
	responses := 0
	for _, p := range b.Pruned() {
		if p.ToolName == "" {
			responses++
		}
	}
	return left(len(b.Pruned())-responses, responses)
}

// firstNotice is what the user reads when a session is pruned for the first time.
func firstNotice(d *prune.Decision, policy config.Policy) string {
	said := fmt.Sprintf("pictx pruned %s (%s tokens) from all further requests. The session keeps the originals; /pictx explains.",
		newlyLeft(d), text.Tokens(d.PrunedTokens))
	if policy != config.PolicyAuto {
		said += fmt.Sprintf(" The policy %s ignores what rewriting the prompt cache costs.", policy)
	}
	return said
}

// context names every edit in force, for an agent that keeps none itself.
func (s Prune) context(ctx context.Context, c *Call) error {
	var p ContextKeys
	if err := c.Read(&p); err != nil {
		return err
	}
	s.next(c)
	m := s.moment(ctx, c)
	m.Keys = keysOf(p.Keys)
	var choice prune.Choice
	if !c.CanDo(CanContextEdit) { // others decide when a turn ends
		choice = s.choice(c, false)
	}
	d, err := s.ask(ctx, c, m, choice)
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
		s.tell(ctx, c, &d)
	}
	return d.Unread
}

func keysOf(keys []MessageKey) []prune.Key {
	out := make([]prune.Key, len(keys))
	for i, k := range keys {
		out[i] = prune.Key{Role: message.Role(k.Role), Timestamp: int64(k.Timestamp), ToolCallID: k.ToolCallID}
	}
	return out
}

// decisionRecord is what the session keeps of a decision, besides its edits.
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

// marksData is a MarksEntry's data, with the reasons beside the marks.
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

// footer is what the agent's footer says of pruning: above all, that it is off.
func (s Prune) footer(ctx context.Context, c *Call, d *prune.Decision) string {
	if s.disabled(c) {
		return "pruning off"
	}
	return bill.Footer(s.bill(ctx, c, d), rateOf(c), d.Branch.LeftOut()+d.BeforeTokens-d.AfterTokens)
}

// rateOf is the price of the model: what the agent says of it, or the user, or the table
// of the day.
func rateOf(c *Call) bill.Rate {
	switch m := c.Model; {
	case m == nil:
		return bill.Rate{}
	case m.Cost.Input > 0:
		return bill.Rate{PerMillion: m.Cost.Input, From: bill.FromSession}
	default:
		return bill.RateOf(m.ID, bill.ModelPrices(c.Project.Config().Config.Prices))
	}
}

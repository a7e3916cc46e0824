package hooks

import (
	"context"
	"fmt"
	"time"

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
	// Planner returns the planner of the settings, or why there is none. asked is
	// set when the user asks for it.
	Planner func(c config.Config, asked bool) (*prune.Planner, string)
	// Asked returns the planner of what was deactivated while there is no other, nil
	// for none. It may be nil.
	Asked func(c config.Config) *prune.Planner
	// Now is the clock of marks.
	Now func() time.Time
	// LongCache is set when the user has providers keep prompts for an hour.
	LongCache bool
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
	h.Want(EventSessionStart, EventBeforeAgent, EventContext, EventTurnEnd, EventBeforeSettle, EventTree, EventCompact)
}

// Handle implements System.
func (s Prune) Handle(ctx context.Context, c *Call) error {
	if s.off(c) {
		s.next(c)
		return nil
	}
	switch c.Event {
	case EventSessionStart, EventTree, EventCompact:
		return s.show(ctx, c)
	case EventBeforeAgent:
		return s.beforeAgent(ctx, c)
	case EventTurnEnd, EventBeforeSettle:
		if !c.CanDo(CanContextEdit) {
			return nil
		}
		_, err := s.decide(ctx, c, nil, false)
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
func (Prune) off(c *Call) bool {
	set := c.Project.Config().Config
	objects := set.Objects.Enabled && set.History.Enabled // what is deactivated leaves all the same
	return (!set.Prune.Enabled || set.Prune.Mode == config.ModeOff) && !objects &&
		!c.Is(EventContext, EventCommand, EventComplete)
}

// branch reads the session as it stands. The marks that the session itself carries
// are in force also when the store cannot be read; the second result then fails.
func (Prune) branch(ctx context.Context, c *Call) (*prune.Branch, prune.MarkStore, error) {
	remembered := make(chan marksOrError, 1)
	go func() { remembered <- marksOf(ctx, c) }() // while the session is read
	sess, err := c.Project.Session(ctx)
	m := <-remembered
	if err != nil {
		return nil, nil, err
	}
	b, err := prune.NewBranch(c.Session.ID, sess.Entries(), c.Session.LeafID, sess.Line, m.marks)
	return b, m.store, err
}

// marksOrError is a store with what it remembers of the session.
type marksOrError struct {
	store prune.MarkStore
	marks []prune.Mark
}

func marksOf(ctx context.Context, c *Call) (m marksOrError) {
	defer func() {
		if r := recover(); r != nil {
			m = marksOrError{store: brokenMarks{fmt.Errorf("internal error: %v", r)}}
		}
	}()
	st, err := c.Project.Store(ctx)
	if err != nil {
		return marksOrError{store: brokenMarks{err}}
	}
	marks, err := st.Marks(ctx, c.Session.ID)
	if err != nil {
		return marksOrError{store: brokenMarks{err}}
	}
	return marksOrError{st, marks}
}

// brokenMarks is a store that cannot be used.
type brokenMarks struct{ err error }

// Marks implements prune.MarkStore.
func (m brokenMarks) Marks(context.Context, string) ([]prune.Mark, error) { return nil, m.err }

// AddMarks implements prune.MarkStore.
func (m brokenMarks) AddMarks(context.Context, string, []prune.Mark) error { return m.err }

// show puts what is pruned into the footer, and says whether context events are
// needed.
func (s Prune) show(ctx context.Context, c *Call) error {
	s.next(c)
	b, st, err := s.branch(ctx, c)
	if err != nil {
		return err
	}
	c.Add(Status(statusPrune, footer(b, nil, nil)))
	if broken, ok := st.(brokenMarks); ok {
		return broken.err
	}
	return nil
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
	_, err := s.decide(ctx, c, func(b *prune.Branch) { b.Expect(message.RoleUser) }, false)
	return err
}

// decide plans, and hands the agent what it has to keep. prepare changes the
// branch before that.
func (s Prune) decide(ctx context.Context, c *Call, prepare func(*prune.Branch), asked bool) (prune.Decision, error) {
	b, st, err := s.branch(ctx, c)
	if err != nil {
		return prune.Decision{}, err
	}
	first := !b.Decided()
	if prepare != nil {
		prepare(b)
	}
	p, why := s.Planner(c.Project.Config().Config, asked)
	if p == nil {
		p = s.askedFor(c, b)
	}
	d, err := s.decideAt(ctx, c, b, st, p, asked)
	if err != nil {
		return d, err
	}
	if p == nil {
		d.Outcome = why
	}
	s.tell(c, b, &d, first)
	return d, nil
}

// askedFor is the planner of what was deactivated in a session in which nothing else
// is pruned, nil when nothing was.
func (s Prune) askedFor(c *Call, b *prune.Branch) *prune.Planner {
	if s.Asked == nil {
		return nil
	}
	states, _, err := b.States(nil)
	if err != nil || len(states.Inactive) == 0 {
		return nil
	}
	return s.Asked(c.Project.Config().Config)
}

// decideAt decides in the situation that the agent is in.
func (s Prune) decideAt(ctx context.Context, c *Call, b *prune.Branch, st prune.MarkStore, p *prune.Planner, asked bool) (prune.Decision, error) {
	sit, err := s.situation(ctx, c, b)
	if err != nil {
		return prune.Decision{}, err
	}
	sit.Forced = asked
	d, err := prune.DecideAt(ctx, st, b, p, sit)
	if d.Figures != nil && d.Figures.NoWarm {
		c.Decision = join(c.Decision, "the cache held less than its prices promise: only a cold one is rewritten")
	}
	return d, err
}

// situation is what is known of the coming call: the session's part, and the
// model's prices.
func (s Prune) situation(ctx context.Context, c *Call, b *prune.Branch) (prune.Situation, error) {
	m := c.Model
	if m == nil {
		m = &Model{}
	}
	sit, err := b.Situation(s.Now().UnixMilli(), m.Provider, m.ID)
	if err != nil {
		return sit, err
	}
	cost := token.ModelCost{Input: m.Cost.Input, CacheRead: m.Cost.CacheRead, CacheWrite: m.Cost.CacheWrite}
	sit.Prices, sit.KnownPrices = token.PricesOf(m.API, cost, s.LongCache)
	if ttl := cacheTTL(m.PromptCache, s.LongCache); ttl > 0 {
		sit.Prices.TTL = ttl
	}
	sit.Window, sit.Reserve = token.Count(m.ContextWindow), token.Count(c.Project.Config().Config.Prune.Reserve)
	sit.CWD = c.CWD
	if sit.Pins, err = pinsIn(ctx, c, b); err != nil {
		return sit, err
	}
	if sit.States, err = statesOn(ctx, c, b); err != nil {
		return sit, err
	}
	return b.WithPast(sit)
}

// cacheTTL is how long a model's provider keeps a prompt, by what pi knows of the
// model: seconds for its short and its long retention. 0 is unknown.
func cacheTTL(promptCache []byte, long bool) time.Duration {
	var c struct {
		Short float64 `json:"short"`
		Long  float64 `json:"long"`
	}
	if decode(promptCache, &c) != nil {
		return 0
	}
	seconds := c.Short
	if long && c.Long > 0 {
		seconds = c.Long
	}
	if seconds <= 0 || seconds > 7*24*3600 {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// tell puts a decision into the reply.
func (s Prune) tell(c *Call, b *prune.Branch, d *prune.Decision, first bool) {
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
	if d.New > 0 || c.Is(EventBeforeSettle) {
		c.Add(Status(statusPrune, footer(b, d, c.Model)))
	}
	if d.New == 0 {
		return
	}
	c.Decision = join(c.Decision, fmt.Sprintf("pruned %d results, %v tokens", d.New, d.PrunedTokens))
	if first {
		c.Add(Notify(firstNotice(d, c.Project.Config().Config.Prune.Policy), "info"))
	}
}

// firstNotice is what the user reads when a session is pruned for the first time.
func firstNotice(d *prune.Decision, policy config.Policy) string {
	text := fmt.Sprintf("pictx pruned %s: %s tokens. The originals stay in the session; /prune-stats shows what goes on.",
		text.CountPlain(d.New, "old tool output"), text.Tokens(d.PrunedTokens))
	if policy != config.PolicyAuto {
		text += fmt.Sprintf(" The policy %s does not ask what writing the prompt cache again costs: pictx replay shows what it costs on your sessions.", policy)
	}
	return text
}

// context names every edit in force, for an agent that keeps none itself.
func (s Prune) context(ctx context.Context, c *Call) error {
	var p ContextKeys
	if err := c.Read(&p); err != nil {
		return err
	}
	s.next(c)
	b, st, err := s.branch(ctx, c)
	if err != nil {
		return err
	}
	first := !b.Decided()
	at := b.Align(keysOf(p.Keys))
	var planner *prune.Planner
	if !c.CanDo(CanContextEdit) { // others decide when a turn ends
		if planner, _ = s.Planner(c.Project.Config().Config, false); planner == nil {
			planner = s.askedFor(c, b)
		}
	}
	broken, isBroken := st.(brokenMarks)
	if isBroken { // nothing new, but what the session carries
		planner = nil
	}
	d, err := s.decideAt(ctx, c, b, st, planner, false)
	if err != nil {
		return err
	}
	if isBroken && len(d.Tell) == 0 {
		return broken.err
	}
	c.Result()
	for i := range d.Tell {
		if index, ok := at[d.Tell[i].EntryID]; ok {
			c.Reply.Result.Edits = append(c.Reply.Result.Edits, ContextEdit{Index: &index, Content: d.Tell[i].Content()})
		}
	}
	if !c.CanDo(CanContextEdit) {
		s.tell(c, b, &d, first)
	}
	return broken.err
}

func keysOf(keys []MessageKey) []prune.Key {
	out := make([]prune.Key, len(keys))
	for i, k := range keys {
		out[i] = prune.Key{Role: message.Role(k.Role), Timestamp: int64(k.Timestamp), ToolCallID: k.ToolCallID}
	}
	return out
}

// decided is what the session keeps of a decision, besides its edits.
type decided struct {
	Outcome      string      `json:"outcome"`
	Results      int         `json:"results"`
	PrunedTokens token.Count `json:"prunedTokens"`
	BeforeTokens token.Count `json:"beforeTokens"`
	AfterTokens  token.Count `json:"afterTokens"`
}

func decisionData(d *prune.Decision) decided {
	return decided{d.Outcome, d.New, d.PrunedTokens, d.BeforeTokens, d.AfterTokens}
}

// marksData is a MarksEntry's data, with the reasons beside the marks.
func marksData(marks []prune.Mark, d *prune.Decision) any {
	data := struct {
		prune.MarksData
		Decision decided `json:"decision"`
	}{Decision: decisionData(d)}
	for _, m := range marks {
		data.Marks = append(data.Marks, prune.MarkData{ID: m.EntryID, Marker: m.Marker})
	}
	return data
}

// footer is what the agent's footer says: nothing when nothing is pruned. What
// was saved is net of what rewriting the cache has cost, at the model's price.
func footer(b *prune.Branch, d *prune.Decision, m *Model) string {
	var results int
	var tokens token.Count
	for _, p := range b.Pruned() {
		results++
		tokens += p.Tokens - p.MarkerTokens
	}
	kept := b.Results() - results
	if d != nil {
		results += d.New
		kept -= d.New
		tokens += d.BeforeTokens - d.AfterTokens
	}
	if results == 0 {
		return ""
	}
	net := ""
	if d != nil && d.Figures != nil && m != nil && m.Cost.Input > 0 {
		saved := d.Figures.Saved
		if d.New > 0 && d.Figures.Cold == "" { // the rewrite that was just decided
			saved -= d.Figures.Cost
		}
		net = ", net " + text.Dollars(saved*m.Cost.Input/1_000_000)
	}
	return fmt.Sprintf("pruned %s tok%s | %d kept", text.Tokens(tokens), net, kept)
}

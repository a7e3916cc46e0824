package hooks

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
)

// System is one of the things that pictx does for an agent. It holds no state of
// its own: whatever it remembers is in the store or in the agent's session, so
// that it makes no difference which process answers which event.
type System interface {
	// Name names the system in logs and asks.
	Name() string
	// Declare adds what the system offers under these settings. It is called
	// before anything is opened.
	Declare(c *config.Config, h *Hello)
	// Handle answers an event, by adding to the call's reply. A system that the event
	// does not concern returns nil.
	Handle(ctx context.Context, c *Call) error
}

// Worker is a System with background work.
type Worker interface {
	// After does the work that follows an event, after the reply to c was sent. push
	// sends effects to the agent if it can still be reached.
	After(ctx context.Context, c *Call, push func(...Effect)) error
}

// World opens what requests are about.
type World interface {
	// Settings returns the settings of a directory before there is a request.
	Settings(cwd string, trusted *bool) (*config.Resolved, error)
	// Project returns what a request is about.
	Project(ctx context.Context, r *Request) (*Project, error)
	// Close ends what is kept open.
	Close() error
}

// Project is what one request is about, as the ports through which systems reach it.
type Project struct {
	// Root is the directory of the project.
	Root string
	// Stored is the session's file, which may not exist yet; nil for a session that
	// must not be stored.
	Stored history.File
	// Opened are the stores of the session when they were there and could be opened at
	// once: most events need them. Without them, Storage is asked.
	Opened *Stores
	Settings
	Storage
	Sessions
}

// Store is Storage's, unless it is open already.
func (p *Project) Store(ctx context.Context) (Stores, error) {
	if p.Opened != nil {
		return *p.Opened, nil
	}
	return p.Storage.Store(ctx)
}

// Search is Storage's, unless the store of the session is meant and open already.
func (p *Project) Search(ctx context.Context, scope string) (SearchStores, error) {
	if p.Opened != nil && scope == recall.ScopeSession {
		return p.Opened.Search, nil
	}
	return p.Storage.Search(ctx, scope)
}

// File is the session's file, nil when it must not be stored, or when there is none yet:
// then no store is made. One that is open already reads what there is.
func (p *Project) File() history.File {
	if p.Stored == nil || p.Opened != nil {
		return p.Stored
	}
	if _, err := p.Stored.Info(); err != nil {
		return nil
	}
	return p.Stored
}

// Settings are the settings of a project.
type Settings interface {
	// Config is the settings in force.
	Config() *config.Resolved
}

// Storage opens the stores of a project.
type Storage interface {
	// Store is the store that the session belongs to, opened when it is first
	// asked for and created when it does not exist.
	Store(ctx context.Context) (Stores, error)
	// Search is where history is searched: the store of the session, or that of its
	// project when the scope is another and they differ.
	Search(ctx context.Context, scope string) (SearchStores, error)
	// Maintain does what would have been too slow before, when the agent is idle or,
	// with final, when its session is over. What another writer then kept the session from
	// storing is noted for whoever opens the store next.
	Maintain(ctx context.Context, final bool) error
	// Busy reports whether an error means that another process was writing, which the
	// next event will not meet. Such an error is logged and not shown.
	Busy(err error) bool
}

// Sessions reads the session of a request, and the other sessions of its project.
type Sessions interface {
	// Unread lists the project's session files that the store may lack.
	Unread(ctx context.Context) ([]history.File, error)
	// Session opens the session's entries as the agent wrote them. No other call can
	// use them until Close.
	Session(ctx context.Context) (Session, error)
	// Close ends the use of the session.
	Close()
}

// Stores are the ports of one database. Each is declared by the package that uses it.
type Stores struct {
	History   history.Store
	Index     history.Indexer
	Marks     prune.MarkStore
	Pins      prune.PinReader
	Summaries summary.Reader
	Jobs      summary.Store // in which they are made
	Counts    summary.Counter
	Objects   object.Store
	Search    SearchStores
}

// SearchStores are the ports of one database that is searched.
type SearchStores struct {
	Search  history.SearchStore
	Entries history.Expander
	Forks   history.Forks
}

// Session is the tree of a session's entries with their bytes.
type Session interface {
	// Entries is the tree. It is empty when the session has no file yet.
	Entries() *message.Tree
	// Line returns the bytes of an entry, valid until the next call.
	Line(n *message.Node) ([]byte, error)
}

// Call is one event that the systems handle in turn.
type Call struct {
	*Request
	// Reply is what the systems have put together so far.
	Reply Reply
	// Project is the project that the session belongs to.
	Project *Project
	// Decision is the line for the log that says what was decided.
	Decision string
	// Push sends effects to the agent before the reply, if it can be reached then.
	Push func(...Effect)

	system string                    // the name of the system that is handling the event
	states map[string]jsontext.Value // what systems keep until the answers come, by name

	switchedOff bool // the user has switched pruning off for this session
	rewritten   bool // the coming request is written as a whole: the cache holds nothing of it
}

// Is reports whether the call is one of these events.
func (c *Call) Is(events ...string) bool {
	for _, e := range events {
		if c.Event == e {
			return true
		}
	}
	return false
}

// CanDo reports whether the agent can do something: a Can constant.
func (c *Call) CanDo(what string) bool {
	for _, can := range c.Can {
		if can == what {
			return true
		}
	}
	return false
}

// Read decodes the event's payload.
func (c *Call) Read(into any) error {
	if err := Decode(c.Payload, into); err != nil {
		return fmt.Errorf("read payload of %s: %w", c.Event, err)
	}
	return nil
}

// Note adds to the line for the log: what was decided.
func (c *Call) Note(what string) { c.Decision = text.JoinNonEmpty(", ", c.Decision, what) }

// Say answers a command with a text for the user, at a level: info, warning or error.
func (c *Call) Say(text, level string) { c.Result().Text, c.Result().Level = text, level }

// Result returns the reply's result, which it creates if necessary.
func (c *Call) Result() *Result {
	if c.Reply.Result == nil {
		c.Reply.Result = &Result{}
	}
	return c.Reply.Result
}

// Leaf is the entry at which the session stands: the one that the agent names, when tree
// has it, else the newest.
func (c *Call) Leaf(tree *message.Tree) string {
	if leaf := c.Session.LeafID; leaf != "" && tree.Lookup(leaf) != nil {
		return leaf
	}
	return tree.Leaf()
}

// Add adds effects to the reply.
func (c *Call) Add(effects ...Effect) { c.Reply.Effects = append(c.Reply.Effects, effects...) }

// Ask asks the agent. Its answer comes in a later call of the same event, under
// the same id.
func (c *Call) Ask(a Ask) {
	a.ID = c.system + "." + a.ID
	c.Reply.Ask = append(c.Reply.Ask, a)
}

// Answered returns the answer to the ask with this id, and whether it has come.
func (c *Call) Answered(id string) (Answer, bool) {
	for _, r := range c.Replies {
		if r.ID == c.system+"."+id {
			return r, true
		}
	}
	return Answer{}, false
}

// Keep keeps v, which must be small, until the answers to asks come.
func (c *Call) Keep(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("keep state: %w", err)
	}
	c.states[c.system] = b
	return nil
}

// Kept decodes what Keep kept, and reports whether there was anything.
func (c *Call) Kept(into any) bool {
	var all map[string]jsontext.Value
	if Decode(c.State, &all) != nil || all[c.system] == nil {
		return false
	}
	return Decode(all[c.system], into) == nil
}

// Decode reads JSON as JavaScript writes it, with lone surrogates. Members that into
// lacks are passed over, and no data leaves it as it is.
func Decode(data []byte, into any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, into, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

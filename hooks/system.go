package hooks

import (
	"context"
	"fmt"
	"slices"

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

// System is one feature of pictx as the agent meets it: pruning, history, pins. It keeps no
// state of its own. Everything it remembers is in the store or in the agent's session, so
// any process can answer any event.
type System interface {
	// Name identifies the system in logs and questions.
	Name() string
	// Declare adds the system's tools, commands and events to hello. It is called before
	// any store or session is open.
	Declare(c *config.Config, h *Hello)
	// Handle handles an event by adding to the reply of the call. It returns nil for
	// events that do not concern the system.
	Handle(ctx context.Context, c *Call) error
}

// Worker is a System with background work.
type Worker interface {
	// After does background work once the reply to c was sent. push sends effects to the
	// agent if it can still be reached.
	After(ctx context.Context, c *Call, push func(...Effect)) error
}

// World opens the projects that requests are about.
type World interface {
	// Settings returns the settings of a directory, for hello.
	Settings(cwd string, trusted *bool) (*config.Resolved, error)
	// Project returns the project of a request.
	Project(ctx context.Context, r *Request) (*Project, error)
}

// Project is the project of one request.
type Project struct {
	// Root is the directory of the project.
	Root string
	// Stored is the session's file, which may not exist yet; nil for a session that
	// must not be stored.
	Stored history.File
	// Opened are the stores of the session if they existed and could be opened at once,
	// since most events need them. When nil, Ports opens them on demand.
	Opened *Stores
	Ports
}

// Store returns the stores of the session, and opens them if necessary.
func (p *Project) Store(ctx context.Context) (Stores, error) {
	if p.Opened != nil {
		return *p.Opened, nil
	}
	return p.Ports.Store(ctx)
}

// Search returns the stores to search for a scope, and opens them if necessary.
func (p *Project) Search(ctx context.Context, scope string) (SearchStores, error) {
	if p.Opened != nil && scope == recall.ScopeSession {
		return p.Opened.Search, nil
	}
	return p.Ports.Search(ctx, scope)
}

// File returns the session's file. It is nil when the session must not be stored, and when
// the file does not exist yet, so that no store is created for it. With open stores the
// file is not looked for: reading it finds out.
func (p *Project) File() history.File {
	if p.Stored == nil || p.Opened != nil {
		return p.Stored
	}
	if _, err := p.Stored.Info(); err != nil {
		return nil
	}
	return p.Stored
}

// Ports are how systems reach the settings, stores and session of a project.
type Ports interface {
	// Config returns the settings in force.
	Config() *config.Resolved
	// Store returns the stores of the session. The first call opens them, and creates
	// them if they do not exist.
	Store(ctx context.Context) (Stores, error)
	// Search returns the stores to search: those of the session or, for a wider scope,
	// those of its project.
	Search(ctx context.Context, scope string) (SearchStores, error)
	// Unread lists the session files of the project that the store may lack.
	Unread(ctx context.Context) ([]history.File, error)
	// Session opens the session's entries as the agent wrote them. It holds them for this
	// call until Close.
	Session(ctx context.Context) (Session, error)
	// Close lets other calls use the session.
	Close()
	// Maintain does slow work while the agent is idle or, with final, when its session
	// ends.
	Maintain(ctx context.Context, final bool) error
	// Busy reports whether an error means that another process was writing. The next
	// event should not meet it, so such an error is logged and not shown.
	Busy(err error) bool
}

// Stores are the ports of one database, each declared by the package that uses it.
type Stores struct {
	History   history.Store
	Marks     prune.MarkStore
	Pins      prune.PinReader
	Summaries summary.Reader
	Jobs      summary.Store // writes summaries
	Counts    summary.Counter
	Objects   object.Store
	Search    SearchStores
}

// SearchStores are the ports of a database for searching it.
type SearchStores struct {
	Search  history.Searcher
	Entries history.Expander
	Forks   history.Forks
	// Title returns the title of a session, "" when it has no prompts.
	Title func(ctx context.Context, session string) (string, error)
}

// Session is the tree of a session's entries, with access to their bytes.
type Session = message.Session

// Call is one event as it passes through the systems.
type Call struct {
	*Request
	// Reply is the reply so far.
	Reply Reply
	// Project is the project of the session.
	Project *Project
	// Decision says in the log what was decided.
	Decision string
	// Push sends effects to the agent before the reply, if it can be reached then.
	Push func(...Effect)

	system string                    // the name of the system that is handling the event
	states map[string]jsontext.Value // state to send back with answers, by system

	switchedOff bool // the user has switched pruning off for this session
	cacheCold   bool // the next request is billed as a whole: the provider caches nothing of it
	pinsCarried bool // the reply records the pins that were set outside the session

	shortened *bool // whether part of the session is pruned; nil until known
}

// Is reports whether the call is one of these events.
func (c *Call) Is(events ...string) bool { return slices.Contains(events, c.Event) }

// CanDo reports whether the agent has a capability: a Can constant.
func (c *Call) CanDo(capability string) bool { return slices.Contains(c.Can, capability) }

// Read decodes the event's payload.
func (c *Call) Read(into any) error {
	if err := Decode(c.Payload, into); err != nil {
		return fmt.Errorf("read payload of %s: %w", c.Event, err)
	}
	return nil
}

// Note adds to what the log says was decided.
func (c *Call) Note(what string) { c.Decision = text.JoinNonEmpty(", ", c.Decision, what) }

// Say answers a command with a text for the user. level is info, warning or error.
func (c *Call) Say(text, level string) { c.Result().Text, c.Result().Level = text, level }

// Result returns the result of the reply, creating it if necessary.
func (c *Call) Result() *Result {
	if c.Reply.Result == nil {
		c.Reply.Result = &Result{}
	}
	return c.Reply.Result
}

// Leaf returns the current entry of the session: the one that the agent names if tree has
// it, else the newest.
func (c *Call) Leaf(tree *message.Tree) string {
	if leaf := c.Session.LeafID; leaf != "" && tree.Lookup(leaf) != nil {
		return leaf
	}
	return tree.Leaf()
}

// Branch returns the session and its entries up to the current one, oldest first.
func (c *Call) Branch(ctx context.Context) (Session, []*message.Node, error) {
	session, err := c.Project.Session(ctx)
	if err != nil {
		return nil, nil, err
	}
	tree := session.Entries()
	return session, tree.Path(c.Leaf(tree)), nil
}

// Add adds effects to the reply.
func (c *Call) Add(effects ...Effect) { c.Reply.Effects = append(c.Reply.Effects, effects...) }

// Ask asks a question. The answer comes in a later call of the same event, under the same
// id.
func (c *Call) Ask(a Ask) {
	a.ID = c.system + "." + a.ID
	c.Reply.Ask = append(c.Reply.Ask, a)
}

// Answered returns the answer to a question and whether it has come.
func (c *Call) Answered(id string) (Answer, bool) {
	for _, r := range c.Replies {
		if r.ID == c.system+"."+id {
			return r, true
		}
	}
	return Answer{}, false
}

// Keep stores v, which must be small, until the answers to the questions of this call come.
func (c *Call) Keep(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("keep state: %w", err)
	}
	c.states[c.system] = b
	return nil
}

// Kept decodes the value that Keep stored, and reports whether there was one.
func (c *Call) Kept(into any) bool {
	var all map[string]jsontext.Value
	if Decode(c.State, &all) != nil || all[c.system] == nil {
		return false
	}
	return Decode(all[c.system], into) == nil
}

// Decode reads JSON as JavaScript writes it, which may contain lone surrogates. It ignores
// unknown members. Empty data leaves into unchanged.
func Decode(data []byte, into any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, into, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// EachCustom calls fn with the data of each custom entry of a type on the branch, oldest
// first. It skips entries whose data is not a T.
func EachCustom[T any](ctx context.Context, c *Call, kind string, fn func(data T, n *message.Node)) error {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	tree := sess.Entries()
	return eachCustomOf(sess, tree.Asides(c.Leaf(tree)), kind, fn)
}

// eachCustomOf is EachCustom for the custom entries among nodes.
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

package message

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// EntryType is the type of a line in a session file.
type EntryType string

// The entry types of pi's session format, version 3. Unknown ones are kept.
const (
	EntrySession       EntryType = "session" // the header, first line
	EntryMessage       EntryType = "message"
	EntryCustomMessage EntryType = "custom_message" // an extension's message, in context
	EntryCustom        EntryType = "custom"         // an extension's state, not in context
	EntryCompaction    EntryType = "compaction"
	EntryBranchSummary EntryType = "branch_summary"
	EntryContextEdit   EntryType = "context_edit" // pi 0.87 and later
	EntrySessionInfo   EntryType = "session_info"
	EntryModelChange   EntryType = "model_change"
	EntryThinking      EntryType = "thinking_level_change"
	EntryUsage         EntryType = "usage"
	EntryLabel         EntryType = "label"
)

// UsageWarm is the kind of the usage entry of a request that only kept the provider's cache
// alive.
const UsageWarm = "cache_warm"

// Entry is one line of a session file without its text. Spans refer to the bytes that it
// was parsed from, which the caller keeps or reads again.
type Entry struct {
	Type EntryType
	// ID is the entry's id; files of version 1 have none until a Tree assigns one.
	ID string
	// ParentID is the id of the preceding entry on its branch, "" at a root.
	ParentID string
	// Time is the entry's own timestamp in Unix milliseconds, 0 when unreadable.
	Time int64

	// Message is the message as the model sees it: that of a "message" entry, or the
	// one that pi makes of a custom message, branch summary or compaction. Its spans are
	// relative to Body.
	Message Head
	// Body is the location of the message in a "message" entry, and of the replacement in a
	// context edit. In other entries it is absent, and Message's spans refer to the whole
	// line.
	Body Span
	// System is the location of a compaction's system message.
	System Span

	// FirstKept is the id of the first entry that a compaction keeps.
	FirstKept string
	// FirstKeptIndex is its index among the file's lines, in version 1; -1 when absent.
	FirstKeptIndex int
	// Target is the entry that a context edit or a label refers to.
	Target string
	// Omits is set on a context edit that removes its target from the context.
	Omits bool
	// Display, Details, From and TokensBefore are the locations of these fields.
	Display, Details, From, TokensBefore Span
	// Name is the name a session_info entry gives the session.
	Name string
	// Kind is the purpose of a usage entry, such as UsageWarm.
	Kind string

	// Header is set on a session header.
	Header *Header

	// customType is the location of the name of a custom message. Message has it decoded,
	// which loses lone surrogates.
	customType Span
	// renamed is set on a message with the role hookMessage, which pi reads as custom since
	// version 3.
	renamed bool
}

// entryParse collects the members of an entry, because its type may come last. Members that
// do not belong to the type must not reach its message: their spans refer to other bytes.
type entryParse struct {
	Entry
	hdr     Header
	own     Head // from the entry's own members: custom messages and summaries
	edit    Head // from a context edit's replacement
	message Span
	replace Span
	omits   bool
	blank   bool // the summary is empty or not a string
}

// Header is the first line of a session file.
type Header struct {
	ID      string
	Version int // 1 when absent
	CWD     string
	// Parent is the file that this session was forked from.
	Parent string
	Time   int64 // Unix milliseconds
}

// ParseEntry reads one line of a session file.
func (p *Parser) ParseEntry(line []byte) (Entry, error) {
	e := &p.entry
	*e = entryParse{Entry: Entry{FirstKeptIndex: -1}, blank: true}
	err := p.whole(line, jsontext.KindBeginObject, func() error {
		return p.members(func(name string) error { return p.entryField(e, name) })
	})
	if err != nil {
		return Entry{FirstKeptIndex: -1}, fmt.Errorf("parse entry: %w", err)
	}
	e.settle()
	return e.Entry, nil
}

// entryField reads one member of an entry.
func (p *Parser) entryField(e *entryParse, name string) (err error) {
	switch name {
	case "type":
		var w string
		w, err = p.word()
		e.Type = EntryType(w)
	case "id":
		e.ID, err = p.text()
	case "parentId":
		e.ParentID, err = p.text()
	case "timestamp":
		e.Time, err = p.isoTime()
	case "message":
		err = p.entryMessage(e)
	case "content":
		e.own.Calls = nil
		e.own.Content, err = p.content(&e.own.Calls, 0)
	case "summary":
		kind := p.dec.PeekKind()
		e.own.Body, err = p.span()
		e.blank = falsy(kind, e.own.Body.Of(p.data))
	case "replacement":
		err = p.replacement(e)
	case "systemMessage":
		kind := p.dec.PeekKind()
		if e.System, err = p.span(); kind != jsontext.KindBeginObject {
			e.System = Span{}
		}
	case "details":
		e.Details, err = p.span()
	case "display":
		e.Display, err = p.span()
	case "fromId":
		e.From, err = p.span()
	case "tokensBefore":
		e.TokensBefore, err = p.span()
	default:
		err = p.entryName(e, name)
	}
	return err
}

// falsy reports whether JavaScript treats a JSON value as false.
func falsy(kind jsontext.Kind, value []byte) bool {
	switch kind {
	case jsontext.KindNull, jsontext.KindFalse:
		return true
	case jsontext.KindString:
		return len(value) == 2
	case jsontext.KindNumber:
		f, err := strconv.ParseFloat(string(value), 64)
		return err == nil && f == 0
	}
	return false
}

// entryName reads the members that are ids and names.
func (p *Parser) entryName(e *entryParse, name string) (err error) {
	switch name {
	case "firstKeptEntryId":
		e.FirstKept, err = p.text()
	case "firstKeptEntryIndex":
		var n int64
		n, err = p.integer()
		e.FirstKeptIndex = int(n)
	case "targetId":
		e.Target, err = p.text()
	case "customType":
		e.customType, err = p.span()
		e.own.CustomType = p.intern(e.customType.Of(p.data))
	case "name":
		e.Name, err = p.text()
	case "kind":
		e.Kind, err = p.word()
	case "usage":
		err = p.usage(&e.own)
	case "provider":
		e.own.Provider, err = p.word()
	case "model":
		e.own.Model, err = p.word()
	case "version":
		var n int64
		n, err = p.integer()
		e.hdr.Version = int(n)
	case "cwd":
		e.hdr.CWD, err = p.text()
	case "parentSession":
		e.hdr.Parent, err = p.text()
	default:
		err = p.dec.SkipValue()
	}
	return err
}

// entryMessage reads the message of a "message" entry.
func (p *Parser) entryMessage(e *entryParse) error {
	e.Message, e.message = Head{}, Span{}
	start, err := p.open(jsontext.KindBeginObject)
	if err != nil || start < 0 {
		return err
	}
	err = p.members(func(name string) error { return p.field(&e.Message, name, start) })
	e.message = Span{start, int(p.dec.InputOffset())}
	return err
}

// replacement reads the content that a context edit gives its target.
func (p *Parser) replacement(e *entryParse) error {
	e.edit, e.replace = Head{}, Span{}
	e.omits = p.dec.PeekKind() == jsontext.KindNull
	start, err := p.open(jsontext.KindBeginObject)
	if err != nil || start < 0 {
		return err
	}
	err = p.members(func(name string) (err error) {
		if name != "content" {
			return p.dec.SkipValue()
		}
		e.edit.Calls = nil
		e.edit.Content, err = p.content(&e.edit.Calls, start)
		return err
	})
	e.replace = Span{start, int(p.dec.InputOffset())}
	return err
}

// isoTime reads an ISO 8601 string, or a number of milliseconds, as Unix milliseconds; 0
// when it is neither.
func (p *Parser) isoTime() (int64, error) {
	if p.dec.PeekKind() == jsontext.KindNumber {
		return p.integer()
	}
	s, err := p.text()
	if err != nil {
		return 0, err
	}
	t, perr := time.Parse(time.RFC3339Nano, s)
	if perr != nil {
		return 0, nil
	}
	return t.UnixMilli(), nil
}

// settle sets the message that an entry of this type has in the model's context.
func (e *entryParse) settle() {
	switch e.Type {
	case EntryMessage:
		e.Body = e.message
		if e.Message.Role == "hookMessage" { // its name before version 3
			e.Message.Role, e.renamed = RoleCustom, true
		}
		return
	case EntryContextEdit:
		e.Message, e.Body, e.Omits = e.edit, e.replace, e.omits
	default:
		e.Message = e.own
	}
	switch e.Type {
	case EntrySession:
		e.hdr.ID, e.hdr.Time = e.ID, e.Time
		e.hdr.Version = max(e.hdr.Version, 1)
		hdr := e.hdr
		e.Header = &hdr
	case EntryCustomMessage:
		e.Message.Role = RoleCustom
	case EntryBranchSummary:
		e.Message.Role = RoleBranchSummary
		if e.blank { // no message, in pi
			e.Message.Body = Span{}
		}
	case EntryCompaction:
		e.Message.Role = RoleCompactionSummary
	}
	e.Message.Timestamp = e.Time
}

// ErrTorn is returned for a last line that was cut short, for example by a crash during a
// write. The reader's position stays before that line.
var ErrTorn = errors.New("the last line is incomplete")

// Position is a point between two lines of a session file from which reading can resume.
type Position struct {
	Offset  int64 // bytes from the start of the file
	Lines   int   // lines before it
	Entries int   // entries among them, the header included
}

// Line is one line of a session file.
type Line struct {
	Entry  Entry
	Raw    []byte // the line without its end; valid until the next line is read
	Offset int64  // where Raw starts
	Number int    // counted from 1
	// Ordinal is the index of the entry among the file's entries; the header is 0. It
	// identifies entries in files without ids.
	Ordinal int
	// Err is why the line is not an entry. Raw is set nevertheless.
	Err error
}

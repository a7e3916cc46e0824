package object

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Written is a version with its whole content, as a transaction wrote it.
type Written struct {
	ID      string
	Key     Key
	Doc     Document
	Valid   Interval
	Hashes  Hashes
	Size    int64
	Evicted bool
}

// Transaction is a transaction with all its effects.
type Transaction struct {
	ID       int64
	At       Time
	Actor    Actor
	Session  string
	Reason   string
	Request  string
	Versions []Written
	Events   []Event
	// Evicted are the objects whose content it removed.
	Evicted []string
}

// xtdbTx is a transaction in the JSON form of XTDB 1's submit-tx, with what XTDB cannot
// express in Own.
type xtdbTx struct {
	Ops []json.RawMessage `json:"tx-ops"`
	Own xtdbOwn           `json:"pictx"`
}

type xtdbOwn struct {
	Tx      int64       `json:"tx"`
	At      string      `json:"at"`
	Actor   Actor       `json:"actor,omitempty"`
	Session string      `json:"session,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Request string      `json:"request,omitempty"`
	Events  []xtdbEvent `json:"events,omitempty"`
}

type xtdbEvent struct {
	Object string    `json:"object"`
	What   EventKind `json:"what"`
	Leaf   string    `json:"leaf,omitempty"`
}

// xtdbDoc is a document of XTDB.
type xtdbDoc struct {
	ID string `json:"xt/id"`
	Document
	Content *string `json:"content"`
	// Encoding is base64 when the content is not UTF-8.
	Encoding string `json:"content_encoding,omitempty"`
	Key      string `json:"pictx_key"`
	// The hashes are for readers: they follow from the rest unless the content was evicted.
	ContentHash string `json:"content_hash"`
	MetaHash    string `json:"metadata_view_hash"`
	ObjectHash  string `json:"object_hash"`
	Locked      bool   `json:"locked"`
	Size        int64  `json:"size"`
	Evicted     bool   `json:"evicted,omitempty"`
}

// xtdbTime is the layout of times, to the microsecond.
const xtdbTime = "2006-01-02T15:04:05.000000Z"

func xtdbStamp(t Time) string { return t.Std().Format(xtdbTime) }

// EncodeXTDB writes a transaction as one line of JSON that XTDB 1 accepts as the body of
// submit-tx: puts and deletes with their valid times, and evictions. The actor, the time
// and the session events are beside them under "pictx".
func EncodeXTDB(tx *Transaction) ([]byte, error) {
	out := xtdbTx{Ops: []json.RawMessage{}, Own: xtdbOwn{Tx: tx.ID, At: xtdbStamp(tx.At), Actor: tx.Actor, Session: tx.Session, Reason: tx.Reason, Request: tx.Request}}
	for i := range tx.Versions {
		op, err := encodePut(&tx.Versions[i])
		if err != nil {
			return nil, err
		}
		out.Ops = append(out.Ops, op)
	}
	for _, id := range tx.Evicted {
		op, err := marshal([]string{"evict", id})
		if err != nil {
			return nil, err
		}
		out.Ops = append(out.Ops, op)
	}
	for _, e := range tx.Events {
		out.Own.Events = append(out.Own.Events, xtdbEvent{e.Object, e.Kind, e.Leaf})
	}
	line, err := marshal(out)
	return append(line, '\n'), err
}

// encodePut writes a version. A tombstone is a put too, so that deleted objects can be
// listed, as in this store.
func encodePut(v *Written) (json.RawMessage, error) {
	d := xtdbDoc{
		ID: v.ID, Document: v.Doc, Key: v.Key.String(), Locked: v.Doc.Kind.Locked(), Size: v.Size, Evicted: v.Evicted,
		ContentHash: v.Hashes.Content.String(), MetaHash: v.Hashes.Meta.String(), ObjectHash: v.Hashes.Object.String(),
	}
	if v.Doc.Content != nil {
		text := string(v.Doc.Content)
		if !utf8.ValidString(text) {
			text, d.Encoding = base64.StdEncoding.EncodeToString(v.Doc.Content), "base64"
		}
		d.Content = &text
	}
	op := []any{"put", d, xtdbStamp(v.Valid.From)}
	if v.Valid.To != Forever {
		op = append(op, xtdbStamp(v.Valid.To))
	}
	return marshal(op)
}

// marshal writes JSON without escaping <, > and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write transaction: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

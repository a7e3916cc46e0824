package objects_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/coctostan/pictx/core/object"
)

// xtdbLine is an exported transaction, as a program that reads it sees it.
type xtdbLine struct {
	Ops []json.RawMessage `json:"tx-ops"`
	Own struct {
		At      string       `json:"at"`
		Actor   object.Actor `json:"actor"`
		Session string       `json:"session"`
		Reason  string       `json:"reason"`
		Request string       `json:"request"`
		Events  []struct {
			Object string           `json:"object"`
			What   object.EventKind `json:"what"`
			Leaf   string           `json:"leaf"`
		} `json:"events"`
	} `json:"pictx"`
}

// xtdbPut is the document of a put.
type xtdbPut struct {
	ID string `json:"xt/id"`
	object.Document
	Content     *string `json:"content"`
	Encoding    string  `json:"content_encoding"`
	Key         string  `json:"pictx_key"`
	ContentHash string  `json:"content_hash"`
	MetaHash    string  `json:"metadata_view_hash"`
	ObjectHash  string  `json:"object_hash"`
	Size        int64   `json:"size"`
	Evicted     bool    `json:"evicted"`
}

// decodeXTDB reads an exported transaction as one to submit, and when it was made.
func decodeXTDB(line []byte) (object.Tx, time.Time, error) {
	var in xtdbLine
	if err := json.Unmarshal(line, &in); err != nil {
		return object.Tx{}, time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, in.Own.At)
	if err != nil {
		return object.Tx{}, at, err
	}
	tx := object.Tx{Actor: in.Own.Actor, Session: in.Own.Session, Reason: in.Own.Reason, Request: in.Own.Request}
	for _, raw := range in.Ops {
		op, err := decodeXTDBOp(raw)
		if err != nil {
			return tx, at, err
		}
		tx.Ops = append(tx.Ops, op)
	}
	for _, e := range in.Own.Events {
		tx.Ops = append(tx.Ops, object.Op{Do: object.Record, ID: e.Object, Event: e.What, Leaf: e.Leaf})
	}
	return tx, at, nil
}

// decodeXTDBOp reads a put or an eviction.
func decodeXTDBOp(raw json.RawMessage) (object.Op, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return object.Op{}, err
	}
	if string(parts[0]) == `"evict"` {
		op := object.Op{Do: object.Evict}
		return op, json.Unmarshal(parts[1], &op.ID)
	}
	var d xtdbPut
	if err := json.Unmarshal(parts[1], &d); err != nil {
		return object.Op{}, err
	}
	key, ok := object.ParseKey(d.Key)
	if !ok {
		return object.Op{}, fmt.Errorf("%q is not a key", d.Key)
	}
	op := object.Op{Do: object.Put, ID: d.ID, Key: key, Doc: &d.Document, Valid: object.Interval{To: object.Forever}}
	for i, bound := range []*object.Time{&op.Valid.From, &op.Valid.To}[:len(parts)-2] {
		var t time.Time
		if err := json.Unmarshal(parts[2+i], &t); err != nil {
			return op, err
		}
		*bound = object.TimeOf(t)
	}
	return op, d.fill(&op)
}

// fill adds the content of a put, or the hashes of one whose content was evicted.
func (d *xtdbPut) fill(op *object.Op) error {
	if d.Evicted {
		op.Gone, op.Size = &object.Hashes{}, d.Size
		for text, to := range map[string]*object.Hash{d.ContentHash: &op.Gone.Content, d.MetaHash: &op.Gone.Meta, d.ObjectHash: &op.Gone.Object} {
			var ok bool
			if *to, ok = object.ParseHash(text); !ok {
				return fmt.Errorf("%q is not a hash", text)
			}
		}
	}
	if d.Content == nil {
		return nil
	}
	op.Doc.Content = []byte(*d.Content)
	if d.Encoding != "base64" {
		return nil
	}
	var err error
	op.Doc.Content, err = base64.StdEncoding.DecodeString(*d.Content)
	return err
}

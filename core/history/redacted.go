package history

import (
	"crypto/sha256"

	"github.com/coctostan/pictx/core/message"
)

// RedactedStore returns a store that keeps masked what r finds. Without a redactor it returns st.
func RedactedStore(st Store, r Redactor) Store {
	if r == nil {
		return st
	}
	return redacting{st, r}
}

type redacting struct {
	Store
	redactor Redactor
}

// Encode implements Store.
func (s redacting) Encode(b *Batch) error {
	redactBatch(b, s.redactor)
	return s.Store.Encode(b)
}

// redactBatch masks the lines of a batch, and what was derived from them.
func redactBatch(b *Batch, r Redactor) {
	var p message.Parser
	for i := range b.Records {
		rec := &b.Records[i]
		if !r.Suspect(rec.Raw) {
			continue
		}
		line, n := Redact(rec.Raw, r)
		if n == 0 {
			continue
		}
		e, err := p.ParseEntry(line)
		if err != nil {
			continue // cannot happen: Redact parsed it
		}
		rec.Unmasked, rec.Hash, rec.Raw = rec.Hash, sha256.Sum256(line), line
		rec.Name, rec.Text = e.Name, SearchText(&e, line)
	}
}

// RedactedMasks returns masks that also mask, with r, lines that were not erased: an agent's own
// file still has what the store keeps masked. masks may be nil.
func RedactedMasks(masks Masks, r Redactor) Masks {
	if r == nil {
		return masks
	}
	return redactingMasks{masks, r}
}

type redactingMasks struct {
	erased   Masks // may be nil
	redactor Redactor
}

// Mask implements Masks. It looks a line up both unmasked and masked, because erased lines
// are known as the store had them, which depends on what was masked at that time.
func (m redactingMasks) Mask(session string, line []byte) ([]byte, error) {
	lookUp := func(line []byte) ([]byte, error) {
		if m.erased == nil {
			return line, nil
		}
		return m.erased.Mask(session, line)
	}
	out, err := lookUp(line)
	if err != nil || out == nil || !m.redactor.Suspect(out) {
		return out, err
	}
	out, n := Redact(out, m.redactor)
	if n == 0 {
		return out, nil
	}
	return lookUp(out)
}

package object

import "context"

// Masked is a store into which nothing comes that mask masks: no content, no path of a
// file, no id of a call. What is asked for is masked alike, so that it is found. A nil
// mask masks nothing.
func Masked(st Store, mask func(string) string) Store {
	if mask == nil {
		return st
	}
	m := masked{st, mask}
	st.Writer, st.Finder = m, m
	return st
}

type masked struct {
	Store
	mask func(string) string
}

// Submit implements Writer.
func (m masked) Submit(ctx context.Context, tx Tx) (Receipt, error) {
	ops := make([]Op, len(tx.Ops))
	for i, op := range tx.Ops {
		op.Key = m.key(op.Key)
		if op.Doc != nil {
			d := m.document(*op.Doc)
			op.Doc = &d
		}
		ops[i] = op
	}
	tx.Ops, tx.Reason = ops, m.mask(tx.Reason)
	return m.Store.Submit(ctx, tx)
}

// document masks what a document has from elsewhere than a line of a session, which is
// masked as it is read.
func (m masked) document(d Document) Document {
	if d.Content != nil {
		d.Content = append([]byte{}, m.mask(string(d.Content))...)
	}
	if d.File != nil {
		f := *d.File
		f.Path, d.File = m.mask(f.Path), &f
	}
	return d
}

// key masks a key. The session and the entry of a call stay, which tie it to them.
func (m masked) key(k Key) Key {
	if len(k.parts) < 2 {
		return k
	}
	last := len(k.parts) - 1
	parts := append([]string(nil), k.parts...)
	parts[last] = m.mask(parts[last])
	return Key{k.Kind, parts}
}

// ByKey implements Finder.
func (m masked) ByKey(ctx context.Context, k Key) (Object, error) {
	return m.Store.ByKey(ctx, m.key(k))
}

// Holding implements Finder.
func (m masked) Holding(ctx context.Context, content []byte) ([]Object, error) {
	return m.Store.Holding(ctx, []byte(m.mask(string(content))))
}

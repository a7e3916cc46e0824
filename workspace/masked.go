package workspace

import (
	"context"
	"errors"
	"io"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// MaskedSources are Sources that show sessions without what the user purged or redacted
// from the project's store: an agent's own files still have it, and nothing that reads
// them may bring it back.
func MaskedSources(ctx context.Context, a *Workspace) history.Source {
	return maskedSources{a.Sources(), ctx, a}
}

type maskedSources struct {
	history.Sources
	ctx context.Context
	ws  *Workspace
}

// masks are those of the project, nil when there are none, and what closes their store.
func (s maskedSources) masks() (history.Masks, io.Closer, error) {
	st, _, err := s.ws.Store(s.ctx, sqlite.Read)
	if errors.Is(err, sqlite.ErrNoStore) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	masks, err := st.Eraser.Masks(s.ctx)
	if err == nil && masks != nil {
		return masks, st, nil
	}
	return nil, nil, errors.Join(err, st.Close())
}

// Open implements history.Source.
func (s maskedSources) Open(place string) (history.Session, error) {
	open, err := s.Sources.Open(place)
	if err != nil {
		return nil, err
	}
	masks, st, err := s.masks()
	if err != nil {
		return nil, errors.Join(err, open.Close())
	}
	if masks == nil {
		return open, nil
	}
	return closingBoth{history.MaskedSession(open, masks), st}, nil
}

// Bytes implements history.Source.
func (s maskedSources) Bytes(place string) (io.ReadCloser, error) {
	r, err := s.Sources.Bytes(place)
	if err != nil {
		return nil, err
	}
	head, err := s.Head(place)
	if err != nil {
		return r, nil // not a session that anything was erased from
	}
	masks, st, err := s.masks()
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if masks == nil {
		return r, nil
	}
	return closingReader{history.MaskedBytes(r, head.ID, masks), st}, nil
}

// closingBoth is a session that is read with a store.
type closingBoth struct {
	history.Session
	store io.Closer
}

// Close implements history.Session.
func (s closingBoth) Close() error { return errors.Join(s.Session.Close(), s.store.Close()) }

// closingReader is what is read with a store.
type closingReader struct {
	io.ReadCloser
	store io.Closer
}

// Close implements io.Closer.
func (r closingReader) Close() error { return errors.Join(r.ReadCloser.Close(), r.store.Close()) }

// requestSession is the session of a request without what was erased from its store,
// which is looked up when the first line is read: most requests read none.
type requestSession struct {
	history.Session
	project *hookProject
	ctx     context.Context
	masked  history.Session // nil until the first line
}

// Line implements history.Session. Without a store nothing was erased; where it cannot be
// opened nothing is stored either.
func (s *requestSession) Line(n *message.Node) ([]byte, error) {
	if s.masked == nil {
		s.masked = s.Session
		if path := s.project.storePath(); IsFile(path) {
			if st, err := s.project.openAt(s.ctx, path); err == nil {
				if masks, err := st.Eraser.Masks(s.ctx); err == nil && masks != nil {
					s.masked = history.MaskedSession(s.Session, masks)
				}
			}
		}
	}
	return s.masked.Line(n)
}

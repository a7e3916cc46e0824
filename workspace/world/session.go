package world

import (
	"context"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/door"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/workspace"
)

// requestSession is the session of a request without what was erased from its store,
// which is looked up when the first line is read: most requests read none.
type requestSession struct {
	history.Session
	project *requestProject
	ctx     context.Context
	masked  history.Session // nil until the first line
}

// Line implements history.Session. Without a store nothing was erased; where it cannot be
// opened nothing is stored either.
func (s *requestSession) Line(n *message.Node) ([]byte, error) {
	if s.masked == nil {
		s.masked = s.Session
		var masks history.Masks
		if path := s.project.storePath(); workspace.IsFile(path) {
			if st, err := s.project.openAt(s.ctx, path); err == nil {
				masks, _ = st.Eraser.Masks(s.ctx) // nil after an error
			}
		}
		if masks = door.Masks(masks, s.project.redactor()); masks != nil {
			s.masked = history.MaskedSession(s.Session, masks)
		}
	}
	return s.masked.Line(n)
}

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/store"
)

// importObjects captures the objects of sessions, unless the store has them or the settings
// switch objects off. Erased and masked text stays erased and masked. A session that cannot be
// read is skipped, because importing its entries has reported the error.
func (m *Import) importObjects(ctx context.Context, st *store.Store, jobs []ImportJob) error {
	set, _, err := InForce(m.Workspace)
	if err != nil || !set.Config.Objects.Enabled {
		return err
	}
	redactor := Redactor(set.Config.Redact)
	source := history.MaskedSource(m.Sources(), func() (history.Masks, io.Closer, error) {
		masks, err := st.Eraser.Masks(ctx)
		return masks.And(redactor), nil, err
	})
	for _, job := range jobs {
		if err := captureObjects(ctx, st, source, job, redactor); err != nil {
			return err
		}
	}
	return nil
}

// captureObjects captures the objects of one session.
func captureObjects(ctx context.Context, st *store.Store, source history.Source, past ImportJob, r history.Redactor) error {
	head, err := source.Head(past.Place)
	if err != nil {
		head.ID = history.FallbackID(past.Place)
	}
	if !past.grew {
		if _, err := st.Objects.ByKey(ctx, object.ChatKey(head.ID)); !errors.Is(err, object.ErrUnknown) {
			return err
		}
	}
	s, err := source.Open(past.Place)
	if err != nil {
		return nil
	}
	defer s.Close()
	line := func(n *message.Node) ([]byte, error) {
		raw, err := s.Line(n)
		if err == nil && history.IsEmptied(raw) {
			err = object.ErrErased
		}
		return raw, err
	}
	files := pastFiles{NewProjectFiles(ctx, past.Project.Root), NewProjectFiles(ctx, head.CWD)}
	work := &object.Capture{Store: MaskedObjects(st, r), Files: files, Session: head.ID, CWD: head.CWD}
	if _, err := work.Past(ctx, s.Entries(), line); err != nil {
		return fmt.Errorf("import objects of session %s: %w", head.ID, err)
	}
	return nil
}

// pastFiles are the files of a project as an old session named them: those below the
// project's root or the session's directory, whether they still exist or not.
type pastFiles struct {
	*ProjectFiles
	session *ProjectFiles
}

// Look implements object.Files.
func (f pastFiles) Look(path string) object.Look {
	l := f.ProjectFiles.Look(path)
	_, ran := f.session.relative(l.Path)
	return object.Look{Path: l.Path, File: !l.Outside || ran && f.session.root != ""}
}

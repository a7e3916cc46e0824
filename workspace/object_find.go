package workspace

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/sqlite/store"
)

// FindObject finds the object that a person in a directory names: as the store does,
// or a file by its path.
func FindObject(ctx context.Context, st *store.Store, dir, name string) (object.Object, error) {
	o, err := st.Objects.Resolve(ctx, name)
	if !errors.Is(err, object.ErrUnknown) || name == "" {
		return o, err
	}
	path := filepath.Clean(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	// A file that is gone has no links to follow, its directory may.
	for _, p := range []string{path, filepath.Dir(path)} {
		if real, e := filepath.EvalSymlinks(p); e == nil {
			path = filepath.Join(real, path[len(p):])
			break
		}
	}
	if file, e := st.Objects.ByKey(ctx, object.FileKey("", path)); e == nil {
		return file, nil
	}
	return o, err
}

// ObjectNames returns how the objects of a project are named to a person in a directory: a
// file of the project by its path from there, as FindObject takes it.
func ObjectNames(root, dir string) func(v *object.Version) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	files := NewProjectFiles(context.Background(), root)
	return func(v *object.Version) string {
		name := v.Doc.Label(v.Key)
		if v.Doc.Kind != object.KindFile {
			return name
		}
		if _, inside := files.relative(name); inside {
			if rel, err := filepath.Rel(dir, name); err == nil {
				return rel
			}
		}
		return name
	}
}

// CaptureFiles captures files of the project into its store, in no session.
func CaptureFiles(ctx context.Context, a *Workspace, st *store.Store) (*capture.Capture, error) {
	pl, err := a.Place()
	if err != nil {
		return nil, err
	}
	redactor, err := RedactorOf(a, false)
	return &capture.Capture{Store: MaskedObjects(st, redactor), Files: NewProjectFiles(ctx, pl.Root), CWD: pl.Root}, err
}

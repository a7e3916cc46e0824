package object

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
)

// Object has the properties that all versions of an object share.
type Object struct {
	ID string
	// Key is its present key.
	Key Key
	// Nickname is a name given by a person or the model, "" without one. It is unique among
	// objects, ignoring case.
	Nickname string
	// Versions is the number of its versions.
	Versions int
}

// Version is one version of an object.
type Version struct {
	Object
	// Number is the number of the version, from 1, in the order of writing.
	Number int
	// From is when it became known, To when the next version did: a version is in force from
	// From, inclusive, to To, exclusive. To is Forever for the latest.
	From, To Time
	Hashes   Hashes
	// Doc is its document without the content, which Store.Content reads.
	Doc Document
	// Size is the size of the content in bytes, -1 without content.
	Size int64
	// Purged is set when the content was purged; its hash stays.
	Purged bool
}

// Label returns a name by which a person recognizes the object: the path of a file, the
// call of a tool, else the session.
func (v *Version) Label() string {
	d := &v.Doc
	switch {
	case d.File != nil && d.File.Path != "":
		return d.File.Path
	case v.Key.Kind == KindFile:
		return v.Key.Part(1)
	case d.Toolcall != nil:
		return strings.TrimSpace(d.Toolcall.Tool + " " + d.Toolcall.ArgsDisplay)
	}
	return v.Key.Session()
}

// The conditions of a version besides StatusOK and StatusFail.
const (
	statusDeleted = "deleted"
	statusPurged  = "purged"
)

// Condition returns the status of a version: deleted, purged, fail or ok.
func (v *Version) Condition() string {
	switch {
	case v.Doc.Deleted:
		return statusDeleted
	case v.Purged:
		return statusPurged
	case v.Doc.Toolcall != nil:
		return string(v.Doc.Toolcall.Status)
	}
	return string(StatusOK)
}

// Missing says why a version has no content to show, "" when it has.
func (v *Version) Missing() string {
	switch {
	case v.Doc.Deleted:
		return "it is deleted; its versions are kept: pictx object history " + v.ID
	case v.Purged:
		return "its content was purged"
	case v.Unread():
		return "its content is not available: it is not text, it was never read, or it was edited when what it held was not known"
	case v.Size < 0:
		return "its content is not available: it has no text"
	}
	return ""
}

// Unread reports whether a version is of a file that is not text, or whose text is not known.
func (v *Version) Unread() bool {
	return v.Doc.Kind == KindFile && v.Size < 0 && !v.Purged && !v.Doc.Deleted
}

// Part returns the lines of a file that a version has, nil when it has all.
func (v *Version) Part() *Lines {
	if v.Doc.File == nil || v.Doc.Deleted {
		return nil
	}
	return v.Doc.File.Lines
}

// OlderThan reports whether a file with this modification time, in Unix nanoseconds,
// changed after the version became known. It compares milliseconds, the resolution of
// session clocks.
func (v *Version) OlderThan(modTime int64) bool {
	return modTime/1_000_000 > int64(v.From)/1000
}

// Find finds an object by its nickname, its id or a prefix of that, by the path of a file or by the end
// of one, such as "src/cart.ts". file is the name as an absolute path. The errors are ErrUnknown and
// *AmbiguousError.
func Find(ctx context.Context, st Finder, name, file string) (Object, error) {
	o, err := st.Resolve(ctx, name)
	if errors.Is(err, ErrUnknown) {
		o, err = st.ByKey(ctx, FileKey("", file))
	}
	if !errors.Is(err, ErrUnknown) || name == "" {
		return o, err
	}
	all, err := st.FindObjects(ctx, Query{Kind: KindFile})
	if err != nil {
		return Object{}, err
	}
	end := "/" + strings.Trim(path.Clean(name), "/")
	all = slices.DeleteFunc(all, func(v Version) bool { return !strings.HasSuffix(v.Key.Part(1), end) })
	switch len(all) {
	case 0:
		return Object{}, ErrUnknown
	case 1:
		return all[0].Object, nil
	}
	ambiguous := &AmbiguousError{Name: name}
	for _, v := range all {
		ambiguous.Candidates = append(ambiguous.Candidates, v.Key.Part(1))
	}
	return Object{}, ambiguous
}

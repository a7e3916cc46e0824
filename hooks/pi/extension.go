package pi

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/repo"
)

// File is a file of the extension.
type File struct {
	Name string
	Text []byte
}

// Extension is the extension as this program ships it.
type Extension struct{ files []File }

// entryFile is the file of a directory that pi loads. A directory without it is no extension.
const entryFile = "index.ts"

// binaryFile records what an installation wrote: a Binary, and the sum of each file.
const binaryFile = "binary.json"

//go:embed extension/*.ts
var extension embed.FS

// Load returns the extension that this program ships.
func Load() (Extension, error) { return newExtension(extension, "extension") }

// newExtension reads the extension's files from a directory, except those of tests.
func newExtension(fsys fs.FS, dir string) (x Extension, err error) {
	names, err := fs.Glob(fsys, path.Join(dir, "*.ts"))
	for _, name := range names {
		if strings.HasSuffix(name, ".test.ts") || strings.HasSuffix(name, ".d.ts") {
			continue
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return x, fmt.Errorf("read extension: %w", err)
		}
		x.files = append(x.files, File{path.Base(name), text})
	}
	return x, err
}

// Files returns the extension's files, sorted by name.
func (x Extension) Files() []File { return x.files }

// Binary names the program that the extension runs.
type Binary struct {
	Path    string `json:"path"`    // absolute
	Version string `json:"version"` // of the program when the extension was installed
}

// record is the content of binaryFile.
type record struct {
	Binary
	Sums map[string]string `json:"sums"` // SHA-256 of the other files, by name
}

func sumOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// record returns the contents of binaryFile.
func (x Extension) record(b Binary) []byte {
	r := record{b, map[string]string{}}
	for _, f := range x.files {
		r.Sums[f.Name] = sumOf(f.Text)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err) // cannot happen: r is strings
	}
	return append(text, '\n')
}

// Runs reports whether the program exists and is executable.
func (b Binary) Runs() bool {
	st, err := os.Stat(b.Path)
	return filepath.IsAbs(b.Path) && err == nil && st.Mode().IsRegular() && (st.Mode().Perm()&0o111 != 0 || filepath.Ext(b.Path) == ".exe")
}

// Target is a directory from which pi loads extensions: pi's own directory, or the .pi of a
// project.
type Target struct {
	Root  string
	Local bool // of a project
}

// Dir returns the directory of the extension.
func (t Target) Dir() string { return filepath.Join(t.Root, "extensions", "pictx") }

// State is the state of a file, or of the extension.
type State string

// The states. Incomplete is a state of the extension only, Foreign one of files only.
const (
	Current    State = "current"            // as this program ships it
	Outdated   State = "of another version" // as that installed it
	Modified   State = "modified"           // as it was not installed
	Missing    State = "missing"            // not installed
	Incomplete State = "incomplete"         // some of its files are missing
	Foreign    State = "foreign"            // not a file of the extension
)

// FileStatus is a file of an installed extension.
type FileStatus struct {
	File  // its text is nil if it is missing or not a regular file
	State State
}

// Status is the state of an installed extension.
type Status struct {
	Dir    string
	Link   string // the target if Dir is a symbolic link, else ""
	Files  []FileStatus
	Binary Binary // zero if binaryFile is missing or unreadable
	named  bool   // binaryFile exists
}

// State returns the state of the extension as a whole, regardless of the binary.
func (s Status) State() State {
	has := func(states ...State) bool {
		return slices.ContainsFunc(s.Files, func(f FileStatus) bool { return slices.Contains(states, f.State) })
	}
	switch {
	case has(Modified, Foreign):
		return Modified
	case !has(Current, Outdated):
		return Missing
	case has(Outdated):
		return Outdated
	case has(Missing):
		return Incomplete
	}
	return Current
}

// Status reads what is installed. The files of a directory that does not exist are Missing.
func (x Extension) Status(t Target) (Status, error) {
	s := Status{Dir: t.Dir()}
	if st, err := os.Lstat(s.Dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		s.Link, _ = os.Readlink(s.Dir)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("read extension: %w", err)
	}
	var r record
	if text, err := repo.Read(s.Dir, filepath.Join(s.Dir, binaryFile), maxText); err == nil && json.Unmarshal(text, &r) == nil {
		s.Binary = r.Binary
	}
	for _, e := range entries {
		if e.Name() == binaryFile && e.Type().IsRegular() {
			s.named = true
			continue
		}
		s.Files = append(s.Files, x.file(s.Dir, e, r))
	}
	for _, f := range x.files {
		if !slices.ContainsFunc(s.Files, func(have FileStatus) bool { return have.Name == f.Name }) {
			s.Files = append(s.Files, FileStatus{File{Name: f.Name}, Missing})
		}
	}
	slices.SortFunc(s.Files, func(a, b FileStatus) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// maxText is the maximum size of a file that is read, in bytes. Every file of the
// extension is smaller.
const maxText = 1 << 20

// file returns the status of a file in the extension's directory.
func (x Extension) file(dir string, e fs.DirEntry, r record) FileStatus {
	f := FileStatus{File: File{Name: e.Name()}, State: Foreign}
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return f
	}
	if f.Text, err = os.ReadFile(filepath.Join(dir, f.Name)); err != nil {
		return f
	}
	ours := slices.IndexFunc(x.files, func(o File) bool { return o.Name == f.Name })
	switch {
	case ours >= 0 && string(x.files[ours].Text) == string(f.Text):
		f.State = Current
	case r.Sums[f.Name] == sumOf(f.Text):
		f.State = Outdated
	case ours >= 0:
		f.State = Modified
	}
	return f
}

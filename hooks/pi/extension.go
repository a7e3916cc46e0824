package pi

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is a file of the extension.
type File struct {
	Name string
	Text []byte
}

// Extension is the extension as this program ships it.
type Extension struct {
	files   []File
	shipped map[string]bool // "sum  name" of every version that was ever shipped
}

// entryFile is the file of a directory that pi loads. A directory without it is no extension.
const entryFile = "index.ts"

// binaryFile holds the path of the program on this machine, as a Binary.
const binaryFile = "binary.json"

// newExtension reads the extension's files, except those of tests, and the list of shipped
// files.
func newExtension(fsys fs.FS, shipped string) (Extension, error) {
	x := Extension{shipped: map[string]bool{}}
	for _, line := range strings.Split(shipped, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			x.shipped[line] = true
		}
	}
	names, err := fs.Glob(fsys, "*.ts")
	if err != nil {
		return x, fmt.Errorf("read extension: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".test.ts") || strings.HasSuffix(name, ".d.ts") {
			continue
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return x, fmt.Errorf("read extension: %w", err)
		}
		x.files = append(x.files, File{name, text})
		x.shipped[shippedLine(name, text)] = true
	}
	return x, nil
}

// Files returns the extension's files, sorted by name.
func (x Extension) Files() []File { return x.files }

// shippedLine returns the line of a file in the list of shipped files, in the format of
// sha256sum.
func shippedLine(name string, text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]) + "  " + name
}

// Binary names the program that the extension runs.
type Binary struct {
	Path    string `json:"path"`    // absolute
	Version string `json:"version"` // of the program when the extension was installed
}

// text returns the contents of binaryFile.
func (b Binary) text() []byte {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		panic(err) // cannot happen: b is two strings
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
	Current    State = "current"    // as this program ships it
	Outdated   State = "outdated"   // as an earlier version shipped it
	Modified   State = "modified"   // as no version ever shipped it
	Missing    State = "missing"    // not installed
	Incomplete State = "incomplete" // some of its files are missing
	Foreign    State = "foreign"    // not a file of the extension
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
	for _, e := range entries {
		if e.Name() == binaryFile && e.Type().IsRegular() {
			s.named = true
			text, _ := readRegular(s.Dir, e)
			if json.Unmarshal(text, &s.Binary) != nil {
				s.Binary = Binary{}
			}
			continue
		}
		s.Files = append(s.Files, x.file(s.Dir, e))
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
func (x Extension) file(dir string, e fs.DirEntry) FileStatus {
	f := FileStatus{File: File{Name: e.Name()}, State: Foreign}
	text, err := readRegular(dir, e)
	if err != nil {
		return f
	}
	f.Text = text
	ours := slices.IndexFunc(x.files, func(o File) bool { return o.Name == f.Name })
	switch {
	case ours >= 0 && string(x.files[ours].Text) == string(f.Text):
		f.State = Current
	case x.shipped[shippedLine(f.Name, f.Text)]:
		f.State = Outdated
	case ours >= 0:
		f.State = Modified
	}
	return f
}

// readRegular reads a file of a directory, unless it is a link or very large.
func readRegular(dir string, e fs.DirEntry) ([]byte, error) {
	info, err := e.Info()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxText) {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, e.Name()))
}

//go:embed extension/*.ts
var extension embed.FS

// shipped lists every version of every file that was ever on the main branch, as sha256sum
// prints it. Files on the list may be replaced without asking.
//
//go:embed shipped.txt
var shipped string

// Load returns the extension that this program ships.
func Load() (Extension, error) {
	files, err := fs.Sub(extension, "extension")
	if err != nil {
		return Extension{}, err
	}
	return newExtension(files, shipped)
}

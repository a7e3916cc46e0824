package pi

import (
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

// PackageName is the name of the package that people install, with npm or in pi.
const PackageName = "pictx"

// Kind says how an extension is installed in pi.
type Kind string

// The kinds of entries.
const (
	Package Kind = "package" // by pi install: in the list "packages" of the settings
	Listed  Kind = "path"    // by its path in the list "extensions" of the settings
	Folder  Kind = "folder"  // in the directory "extensions"
)

// Entry is an extension that pi loads.
type Entry struct {
	Name   string // the name of its package, else of its file or directory
	Kind   Kind
	Source string // as the settings name it, or the path of a directory or file
	Path   string // the absolute path of a local extension
	Off    bool   // switched off in the settings
	Target Target // where it is installed
}

// Own reports whether the extension is pictx, as a package or as setup installs it.
func (e Entry) Own() bool { return e.Name == path.Base(PackageName) }

// list returns the list of the settings that the entry is in, "" if it is in none.
func (e Entry) list() string {
	return map[Kind]string{Package: "packages", Listed: "extensions"}[e.Kind]
}

// SettingsFile returns the path of pi's settings for the target.
func (t Target) SettingsFile() string { return filepath.Join(t.Root, "settings.json") }

// ReadSettings reads pi's settings for the target.
func (t Target) ReadSettings() ([]byte, error) {
	return repo.ReadRegular(t.SettingsFile(), maxText)
}

// Entries lists the extensions installed at t. home replaces ~ in paths. If the settings
// cannot be read, the extensions in directories are returned with the error.
func (t Target) Entries(home string) ([]Entry, error) {
	var lists []list
	text, err := t.ReadSettings()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		err = nil
	case err == nil:
		if _, lists, err = parseSettings(text); err != nil {
			err = fmt.Errorf("read %s: %w", t.SettingsFile(), err)
		}
	}
	var entries []Entry
	var off []string
	for _, l := range lists {
		for _, v := range l.Elements {
			source, without := sourceOf(rawOf(v))
			switch {
			case source == "":
			case l.key == "packages":
				e := Entry{Kind: Package, Source: source, Off: without, Target: t}
				e.Name, e.Path = t.named(source, home)
				entries = append(entries, e)
			case strings.ContainsAny(source[:1], "!-"):
				off = append(off, path.Clean(filepath.ToSlash(source[1:])))
			case source[0] != '+':
				e := Entry{Kind: Listed, Source: source, Path: t.resolve(source, home), Target: t}
				e.Name = nameOf(e.Path)
				entries = append(entries, e)
			}
		}
	}
	return append(entries, t.folders(off)...), err
}

// folders lists the extensions in the directory "extensions". off are the paths that the
// settings switch off.
func (t Target) folders(off []string) []Entry {
	found, err := os.ReadDir(filepath.Join(t.Root, "extensions"))
	if err != nil {
		return nil
	}
	var entries []Entry
	for _, f := range found {
		p := filepath.Join(t.Root, "extensions", f.Name())
		if strings.HasPrefix(f.Name(), ".") || f.Name() == "node_modules" || !loads(p) {
			continue
		}
		rel := "extensions/" + f.Name()
		entries = append(entries, Entry{
			Name: nameOf(p), Kind: Folder, Source: p, Path: p, Target: t,
			Off: slices.ContainsFunc(off, func(o string) bool { return o == rel || strings.HasPrefix(o, rel+"/") }),
		})
	}
	return entries
}

// loads reports whether pi loads a file or directory as an extension.
func loads(p string) bool {
	st, err := os.Stat(p)
	if err != nil {
		return false
	}
	if !st.IsDir() {
		return slices.Contains([]string{".ts", ".js"}, filepath.Ext(p))
	}
	return slices.ContainsFunc([]string{"package.json", "index.ts", "index.js"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(p, name))
		return err == nil
	})
}

// named returns the name of a package, and its path if it is local. Sources look like
// "npm:@scope/name@1.2", "git:github.com/owner/name#ref" or "../name".
func (t Target) named(source, home string) (name, local string) {
	if spec, ok := strings.CutPrefix(source, "npm:"); ok {
		if at := strings.LastIndexByte(spec, '@'); at > 0 {
			spec = spec[:at]
		}
		return path.Base(strings.TrimSpace(spec)), ""
	}
	git, isGit := strings.CutPrefix(source, "git:")
	if isGit || strings.Contains(source, "://") || strings.HasPrefix(source, "git@") {
		git, _, _ = strings.Cut(git, "#")
		base := path.Base(strings.ReplaceAll(git, ":", "/"))
		base, _, _ = strings.Cut(base, "@")
		return strings.TrimSuffix(base, ".git"), ""
	}
	local = t.resolve(source, home)
	return nameOf(local), local
}

// resolve makes a path in the settings absolute.
func (t Target) resolve(p, home string) string {
	if p == "~" || strings.HasPrefix(p, "~/") {
		p = filepath.Join(home, p[1:])
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(t.Root, p)
	}
	return filepath.Clean(p)
}

// nameOf returns the name of a local extension: that in its package.json, else that of its
// directory or file.
func nameOf(p string) string {
	if base := filepath.Base(p); base == "index.ts" || base == "index.js" {
		p = filepath.Dir(p)
	}
	var manifest struct {
		Name string `json:"name"`
	}
	text, err := repo.ReadRegular(filepath.Join(p, "package.json"), maxText)
	if err == nil && json.Unmarshal(text, &manifest) == nil && manifest.Name != "" {
		return path.Base(manifest.Name)
	}
	base := filepath.Base(p)
	return strings.TrimSuffix(strings.TrimSuffix(base, ".ts"), ".js")
}

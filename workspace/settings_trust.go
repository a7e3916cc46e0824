package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/repo"
)

// SettingsHere lists the settings files that the project has.
func (pl Project) SettingsHere() []string {
	files := SettingFiles(pl)
	return slices.DeleteFunc(files[len(files)/2:], func(f string) bool {
		st, err := os.Stat(f)
		return err != nil || !st.Mode().IsRegular()
	})
}

// OwnFile is the file that records, for this user, what pictx last wrote into the project's
// settings.
func (pl Project) OwnFile() string { return pl.cacheFile("settings-own") }

// own records that the user had text written into the project's settings. If that fails,
// the user is asked to trust the project like any other.
func (pl Project) own(text []byte) {
	name := pl.OwnFile()
	if os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, []byte(hashOf(text)+"\n"), 0o600)
	}
}

// owns reports whether the project's settings are as the user had them written. Such
// settings need no question about trust.
func (pl Project) owns(text []byte) bool {
	noted, err := os.ReadFile(pl.OwnFile())
	return err == nil && len(text) > 0 && strings.TrimSpace(string(noted)) == hashOf(text)
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ownLayers returns the settings of an untrusted project that count nevertheless: those
// that the user had written here.
func ownLayers(pl Project) []config.Layer {
	if l := readLayer(config.Project, pl.Root, ProjectConfig(pl)); pl.owns(l.Data) {
		return []config.Layer{l}
	}
	return nil
}

// PassedOver lists the project's settings files that are ignored.
func (s *Settings) PassedOver(pl Project) []string {
	return slices.DeleteFunc(pl.SettingsHere(), s.counts)
}

// counts reports whether the settings come from a file.
func (s *Settings) counts(path string) bool {
	return slices.ContainsFunc(s.Files, func(l config.Layer) bool { return l.Path == path })
}

// ReadSettings reads a settings file of the user or of the project.
func (pl Project) ReadSettings(path string) ([]byte, error) {
	return readSettings(pl.rootOf(path), path)
}

func (pl Project) writeSettings(path string, text []byte, perm fs.FileMode) error {
	if root := pl.rootOf(path); root != "" {
		return repo.Write(root, path, text, perm)
	}
	return repo.Replace(path, text, perm)
}

// rootOf returns the directory that a settings file must be inside: the project's root, or
// "" for a file of the user.
func (pl Project) rootOf(path string) string {
	files := SettingFiles(pl)
	if slices.Contains(files[:len(files)/2], path) {
		return ""
	}
	return pl.Root
}

// Write replaces a settings file for the user. A project's file that was ignored before
// stays ignored.
func (s *Settings) Write(pl Project, path string, text []byte, perm fs.FileMode) error {
	mine := path == ProjectConfig(pl) && (s.counts(path) || !slices.Contains(pl.SettingsHere(), path))
	if old, err := pl.ReadSettings(path); err != nil || !bytes.Equal(old, text) {
		if err := pl.writeSettings(path, text, perm); err != nil {
			return err
		}
	}
	if mine {
		pl.own(text)
	}
	return nil
}

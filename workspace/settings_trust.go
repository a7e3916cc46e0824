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

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ownLayers returns the settings of an untrusted project that count nevertheless, without a
// question about trust: those that are as the user had them written here.
func ownLayers(pl Project) []config.Layer {
	l := readLayer(config.Project, pl.Root, ProjectConfig(pl))
	noted, err := os.ReadFile(pl.OwnFile())
	if err == nil && len(l.Data) > 0 && strings.TrimSpace(string(noted)) == hashOf(l.Data) {
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
	old, err := pl.ReadSettings(path)
	switch root := pl.rootOf(path); {
	case err == nil && bytes.Equal(old, text):
	case root != "":
		err = repo.Write(root, path, text, perm)
	default:
		err = repo.Replace(path, text, perm)
	}
	// If what was written cannot be noted, the user is asked to trust the project like any other.
	if name := pl.OwnFile(); err == nil && mine && os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, []byte(hashOf(text)+"\n"), 0o600)
	}
	return err
}

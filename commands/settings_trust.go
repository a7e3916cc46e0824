package commands

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
	"github.com/coctostan/pictx/hooks"
)

// meant is what the agent says of a project as far as somebody said it: of a project
// that has nothing of pi's own pi says that it is trusted without asking anybody, and
// a repository that was cloned may hold settings of ours and nothing else. nil: what
// the user saved decides.
func (w *hookWorld) meant(cwd string, pl place, trust *bool) *bool {
	if trust == nil || !*trust || len(pl.settingsHere()) == 0 {
		return trust
	}
	if cwd == "" {
		cwd = w.env.Dir
	}
	if piAsks(cwd, w.env.Getenv("HOME")) || piTrustsAll(pl.agentDir) {
		return trust
	}
	return nil
}

// settingsHere are the files of the project with settings that are there.
func (pl place) settingsHere() []string {
	files := settingFiles(pl)
	return slices.DeleteFunc(files[len(files)/2:], func(f string) bool {
		st, err := os.Stat(f)
		return err != nil || !st.Mode().IsRegular()
	})
}

// ownFile says what pictx last wrote into the settings of this project, here, for
// this user.
func (pl place) ownFile() string { return pl.cacheFile("settings-own") }

// own notes that text is what the user had written into the project's settings. A
// user who cannot note it is asked to trust the project like any other.
func (pl place) own(text []byte) {
	name := pl.ownFile()
	if os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, []byte(hashOf(text)+"\n"), 0o600)
	}
}

// owns reports whether the project's settings are as the user had them written here:
// what one set oneself needs no asking.
func (pl place) owns(text []byte) bool {
	noted, err := os.ReadFile(pl.ownFile())
	return err == nil && len(text) > 0 && strings.TrimSpace(string(noted)) == hashOf(text)
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ownLayers are the settings of a project that nobody was asked about: those that
// the user had written here.
func ownLayers(pl place) []config.Layer {
	if l := readLayer(config.Project, projectConfig(pl)); pl.owns(l.Data) {
		return []config.Layer{l}
	}
	return nil
}

// passedOver are the files of the project with settings that do not count.
func (s *settings) passedOver(pl place) []string {
	return slices.DeleteFunc(pl.settingsHere(), s.counts)
}

// counts reports whether a file is one that the settings come from.
func (s *settings) counts(path string) bool {
	return slices.ContainsFunc(s.files, func(l config.Layer) bool { return l.Path == path })
}

// write replaces a file with settings, for a person. What there was of a project's and
// did not count does not count for the change either.
func (s *settings) write(pl place, path string, text []byte, perm fs.FileMode) error {
	mine := path == projectConfig(pl) && (s.counts(path) || !slices.Contains(pl.settingsHere(), path))
	if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, text) {
		if err := writeFile(path, text, perm); err != nil {
			return err
		}
	}
	if mine {
		pl.own(text)
	}
	return nil
}

// untrustedSettings is the system that reports settings of a project that are ignored.
func (w *hookWorld) untrustedSettings() hooks.UntrustedSettings {
	return hooks.UntrustedSettings{
		Present: func() bool {
			pl, err := w.place()
			return err == nil && len(pl.settingsHere()) > 0
		},
		Ignored: func(r *hooks.Request) []string {
			pl, err := w.placeOf(r.CWD)
			if err != nil {
				return nil
			}
			set, err := w.settingsOf(r.CWD, pl, r.Trusted)
			if err != nil {
				return nil
			}
			files := set.passedOver(pl)
			for i, f := range files {
				if rel, err := filepath.Rel(pl.Root, f); err == nil {
					files[i] = filepath.ToSlash(rel)
				}
			}
			return files
		},
	}
}

package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/project"
	"github.com/coctostan/pictx/sqlite"
)

// place is where a command works: the agent's directory and the project.
type place struct {
	agentDir string
	project.Project
}

// place finds the project of --project, or of the working directory.
func (a *app) place() (place, error) {
	agentDir, err := project.AgentDir(a.env.Getenv)
	if err != nil {
		return place{}, withHint(exitFailed, "export PI_CODING_AGENT_DIR=~/.pi/agent", err)
	}
	dir := a.env.Dir
	if a.projectDir != "" {
		dir = a.path(a.projectDir)
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return place{}, usageError("pictx --project DIR", "open project: %s is not a directory", a.projectDir)
		}
	}
	p, err := project.Find(dir, agentDir)
	return place{agentDir, p}, err
}

// path makes a path the user gave absolute.
func (a *app) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(a.env.Dir, p)
}

// store opens the project's store.
func (a *app) store(ctx context.Context, mode sqlite.Mode) (*sqlite.Store, place, error) {
	pl, err := a.place()
	if err != nil {
		return nil, pl, err
	}
	st, err := a.openStore(ctx, pl.StorePath(pl.agentDir), mode)
	return st, pl, err
}

// settings is the configuration in force, with where each file is.
type settings struct {
	*config.Resolved
	files []config.Layer
}

// loadSettings reads the configuration. Project files count only when pi, or the
// user's own configuration, trusts the project, or as the user had them written here.
func (a *app) loadSettings(pl place) (*settings, error) { return a.trustedSettings(pl, nil) }

// trustedSettings reads the configuration. trust is what the agent says of the
// project, nil when it says nothing.
func (a *app) trustedSettings(pl place, trust *bool) (*settings, error) {
	flags, err := a.settingFlags()
	if err != nil {
		return nil, err
	}
	files := settingFiles(pl)
	s := &settings{files: layersOf(files[:len(files)/2], config.UserSeed, config.User)}
	in := config.Input{Files: s.files, Environ: a.env.Environ, Flags: flags}
	s.Resolved = config.Resolve(in)
	var more []config.Layer
	switch {
	case trust != nil && !*trust:
	case trust != nil || trusted(pl, s.Config.Trust, a.env.Getenv("HOME")):
		more = layersOf(files[len(files)/2:], config.ProjectSeed, config.Project)
	default:
		more = ownLayers(pl)
	}
	if len(more) == 0 {
		return s, nil
	}
	s.files = append(s.files, more...)
	in.Files = s.files
	s.Resolved = config.Resolve(in)
	return s, nil
}

// layersOf reads the files of one side: those of the original extensions, and at
// the end our own.
func layersOf(files []string, seed, own config.Kind) []config.Layer {
	var out []config.Layer
	for i, f := range files {
		kind := seed
		if i == len(files)-1 {
			kind = own
		}
		out = append(out, readLayer(kind, f))
	}
	return out
}

// settingFiles are the files that settings come from: the user's four, then the
// project's.
func settingFiles(pl place) []string {
	own := filepath.Join(pl.Root, ".pi")
	return []string{
		filepath.Join(pl.agentDir, "settings.json"), filepath.Join(pl.agentDir, "pi-kota.json"),
		filepath.Join(pl.agentDir, "decision-memory.config.json"), userConfig(pl),
		filepath.Join(own, "settings.json"), filepath.Join(own, "pi-kota.json"),
		filepath.Join(own, "decision-memory.config.json"), projectConfig(pl),
	}
}

// settingFlags reads the -c flags.
func (a *app) settingFlags() (map[string]string, error) {
	flags := make(map[string]string, len(a.settings))
	for _, s := range a.settings {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usageError("pictx -c prune.seed.minimum=10000 …", "parse setting %q: want key=value", s)
		}
		if err := config.Check(key, value); err != nil {
			return nil, err
		}
		flags[key] = value
	}
	return flags, nil
}

func userConfig(pl place) string    { return filepath.Join(pl.agentDir, "pictx.toml") }
func projectConfig(pl place) string { return filepath.Join(pl.Root, ".pi", "pictx.toml") }

// trusted reports whether the project's own files may be used.
func trusted(pl place, extra []string, home string) bool {
	dirs := make([]string, len(extra))
	for i, d := range extra {
		if rest, ok := strings.CutPrefix(d, "~/"); ok {
			d = filepath.Join(home, rest)
		}
		dirs[i] = d
	}
	return project.Trusted(pl.agentDir, pl.Root, dirs)
}

// maxConfig is what is read of a configuration file: config refuses more.
const maxConfig = 1 << 20

// readLayer reads a configuration file. One that does not exist, is no regular
// file or cannot be read is an empty layer: it must not stop anything.
func readLayer(kind config.Kind, path string) config.Layer {
	l := config.Layer{Kind: kind, Path: path}
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Size() <= maxConfig {
		if data, err := os.ReadFile(path); err == nil {
			l.Data = data
		}
	}
	return l
}

// warn prints what is wrong with the configuration.
func (a *app) warn(s *settings) {
	for _, w := range s.Warnings {
		fmt.Fprintf(a.env.Err, "pictx: warning: %s\n", printable(w.String()))
		if w.Hint != "" {
			fmt.Fprintf(a.env.Err, "hint: %s\n", printable(w.Hint))
		}
	}
}

// writeFile replaces a file, or makes it with its directory, so that a crash
// leaves the old one or the new one.
func writeFile(path string, data []byte, perm fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if st, err := os.Stat(path); err == nil {
		perm = st.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".pictx-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(perm), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Resolved returns the settings of the project, and warns of mistakes in them.
func (a *Workspace) Resolved() (*Settings, Project, error) {
	s, pl, err := InForce(a)
	if err == nil {
		a.Warn(s)
	}
	return s, pl, err
}

// InForce returns the settings of the project without warning of mistakes in them.
func InForce(a *Workspace) (*Settings, Project, error) {
	pl, err := a.Here()
	if err != nil {
		return nil, pl, err
	}
	s, err := a.LoadSettings(pl)
	return s, pl, err
}

// WriteSetting edits the file that sets a key, and returns its path.
func WriteSetting(s *Settings, pl Project, key string, local bool, edit func([]byte) ([]byte, bool, error)) (string, error) {
	path, err := configTarget(s, pl, key, local)
	if err != nil {
		return "", err
	}
	old, err := pl.ReadSettings(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read settings: %w", err)
	}
	changed, had, err := edit(old)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if !had {
		return "", exit.WithHint(exit.NotFound, "pictx config list", fmt.Errorf("unset %s: %s does not set it", key, path))
	}
	return path, s.Write(pl, path, changed, 0o600)
}

// configTarget returns the file to change.
func configTarget(s *Settings, pl Project, key string, local bool) (string, error) {
	side, err := s.Side(key)
	var setting *config.Error
	switch {
	case local && errors.As(err, &setting) && setting.Unknown:
		return ProjectConfig(pl), nil
	case err != nil:
		return "", err
	case local && slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return k.Name == key && k.UserOnly }):
		return "", exit.UsageError("pictx config set "+key+" VALUE", "set %s: only the user's own file may set it", key)
	case local || side == config.Project:
		return ProjectConfig(pl), nil
	}
	return UserConfig(pl), nil
}

// homeHint sets HOME to the home directory of the account. Without HOME, dash does not
// expand ~.
const homeHint = `export HOME=$(eval echo "~$(id -un)")`

// Here returns the project of --project, else of the working directory.
func (a *Workspace) Here() (Project, error) {
	agentDir, err := pi.AgentDir(a.Env.Getenv)
	if err != nil {
		return Project{}, exit.WithHint(exit.Failed, homeHint, err)
	}
	dir := a.Env.Dir
	if a.ProjectDir != "" {
		dir = a.Path(a.ProjectDir)
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			left, ok := LeftProject(dir, agentDir)
			if !ok || !errors.Is(err, fs.ErrNotExist) {
				return Project{}, exit.UsageError("pictx --project DIR", "open project: %s is not a directory", a.ProjectDir)
			}
			return left, nil
		}
	}
	return FindProject(dir, agentDir)
}

// Gone reports whether the project's directory no longer exists.
func (pl Project) Gone() bool {
	_, err := os.Stat(pl.Root)
	return errors.Is(err, fs.ErrNotExist)
}

// Path makes a path that the user gave absolute.
func (a *Workspace) Path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(a.Env.Dir, p)
}

// Store opens the project's store.
func (a *Workspace) Store(ctx context.Context, mode sqlite.Mode) (*store.Store, Project, error) {
	pl, err := a.Here()
	if err != nil {
		return nil, pl, err
	}
	if err := MayRead(a, pl); err != nil {
		return nil, pl, err
	}
	path := pl.StorePath()
	st, err := a.OpenStore(ctx, path, mode)
	return st, pl, err
}

// Settings are the settings in force, with the files that they come from.
type Settings struct {
	*config.Resolved
	Files []config.Layer
}

// LoadSettings reads the settings. The project's files count only if pi or the user's own
// settings trust the project, or if they are as the user had pictx write them here.
func (a *Workspace) LoadSettings(pl Project) (*Settings, error) { return a.TrustedSettings(pl, nil) }

// TrustedSettings reads the settings. trust is the user's answer about the project, nil if
// there is none.
func (a *Workspace) TrustedSettings(pl Project, trust *bool) (*Settings, error) {
	flags, err := a.settingFlags()
	if err != nil {
		return nil, err
	}
	user, project := pl.settingFiles()
	in := config.Input{Files: pl.read(user), Environ: a.Env.Environ, Flags: flags}
	s := &Settings{config.Resolve(in), in.Files}
	switch {
	case trust != nil && !*trust:
		return s, nil
	case trust != nil || Trusted(pl, s.Config.Trust, a.Env.Getenv("HOME")):
		in.Files = append(in.Files, pl.read(project)...)
	default:
		own := pl.read(project[len(project)-1:])
		if !pl.wrote(own[0].Data) {
			return s, nil
		}
		in.Files = append(in.Files, own...)
	}
	return &Settings{config.Resolve(in), in.Files}, nil
}

// settingFiles lists the files that settings come from, the weakest first: those of the extensions
// that pictx replaces, and its own.
func (pl Project) settingFiles() (user, project []config.Layer) {
	for _, name := range []string{"settings.json", "pi-kota.json", "decision-memory.config.json"} {
		user = append(user, config.Layer{Kind: config.UserSeed, Path: filepath.Join(pl.AgentDir, name)})
		project = append(project, config.Layer{Kind: config.ProjectSeed, Path: filepath.Join(pl.Root, ".pi", name)})
	}
	user = append(user, config.Layer{Kind: config.User, Path: UserConfig(pl)})
	return user, append(project, config.Layer{Kind: config.Project, Path: ProjectConfig(pl)})
}

// read fills layers with their files. A file that does not exist, is not regular or cannot be read
// is an empty layer: it must not stop anything.
func (pl Project) read(layers []config.Layer) []config.Layer {
	for i, l := range layers {
		if l.Kind == config.UserSeed || l.Kind == config.User {
			layers[i].Data, _ = repo.ReadRegular(l.Path, maxConfig)
		} else {
			layers[i].Data, _ = repo.Read(pl.Root, l.Path, maxConfig)
		}
	}
	return layers
}

// SettingFiles lists the files that settings come from: those of the user, then those of the
// project.
func SettingFiles(pl Project) []string {
	var out []string
	user, project := pl.settingFiles()
	for _, l := range append(user, project...) {
		out = append(out, l.Path)
	}
	return out
}

// SettingsHere lists the settings files that the project has.
func (pl Project) SettingsHere() []string {
	_, project := pl.settingFiles()
	var out []string
	for _, l := range project {
		if st, err := os.Stat(l.Path); err == nil && st.Mode().IsRegular() {
			out = append(out, l.Path)
		}
	}
	return out
}

// PassedOver lists the project's settings files that are ignored.
func (s *Settings) PassedOver(pl Project) []string {
	return slices.DeleteFunc(pl.SettingsHere(), s.counts)
}

// counts reports whether the settings come from a file.
func (s *Settings) counts(path string) bool {
	return slices.ContainsFunc(s.Files, func(l config.Layer) bool { return l.Path == path })
}

// OwnFile is the file that records, for this user, what pictx last wrote into the project's
// settings.
func (pl Project) OwnFile() string { return pl.cacheFile("settings-own") }

// wrote reports whether a text is what pictx last wrote into the project's settings for this user.
func (pl Project) wrote(text []byte) bool {
	noted, err := os.ReadFile(pl.OwnFile())
	return err == nil && len(text) > 0 && strings.TrimSpace(string(noted)) == hashOf(text)
}

func hashOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// ReadSettings reads a settings file of the user or of the project.
func (pl Project) ReadSettings(path string) ([]byte, error) {
	if path == UserConfig(pl) {
		return repo.ReadRegular(path, maxConfig)
	}
	return repo.Read(pl.Root, path, maxConfig)
}

// Write replaces a settings file for the user. A project's file that was ignored before
// stays ignored.
func (s *Settings) Write(pl Project, path string, text []byte, perm fs.FileMode) error {
	mine := path == ProjectConfig(pl) && (s.counts(path) || !slices.Contains(pl.SettingsHere(), path))
	var err error
	switch old, unread := pl.ReadSettings(path); {
	case unread == nil && bytes.Equal(old, text):
	case path == UserConfig(pl):
		err = repo.Replace(path, text, perm)
	default:
		err = repo.Write(pl.Root, path, text, perm)
	}
	// If what was written cannot be noted, the user is asked to trust the project like any other.
	if name := pl.OwnFile(); err == nil && mine && os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, []byte(hashOf(text)+"\n"), 0o600)
	}
	return err
}

// settingFlags reads the -c flags.
func (a *Workspace) settingFlags() (map[string]string, error) {
	flags := make(map[string]string, len(a.Settings))
	for _, s := range a.Settings {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, exit.UsageError("pictx -c prune.seed.minimum=10000 …", "parse setting %q: want key=value", s)
		}
		if err := config.Check(key, value); err != nil {
			return nil, err
		}
		flags[key] = value
	}
	return flags, nil
}

// UserConfig returns the path of the user's settings file.
func UserConfig(pl Project) string { return filepath.Join(pl.AgentDir, "pictx.toml") }

// ProjectConfig returns the path of the project's settings file.
func ProjectConfig(pl Project) string { return filepath.Join(pl.Root, ".pi", "pictx.toml") }

// Trusted reports whether the project's own files may be used. extra lists directories that
// the user's settings trust.
func Trusted(pl Project, extra []string, home string) bool {
	dirs := make([]string, len(extra))
	for i, d := range extra {
		if rest, ok := strings.CutPrefix(d, "~/"); ok {
			d = filepath.Join(home, rest)
		}
		dirs[i] = d
	}
	told, otherwise := pi.Trust(pl.AgentDir)
	return TrustedBy(told, otherwise, pl.Root, dirs)
}

// TrustedBy reports whether the project files under root may be used. In order of precedence:
// the user's configuration names a directory that contains root; the user has answered the
// agent for the nearest directory (null is no answer); otherwise.
func TrustedBy(told map[string]*bool, otherwise bool, root string, configured []string) bool {
	root = realPath(root)
	for _, dir := range configured {
		if rel, err := filepath.Rel(realPath(dir), root); dir != "" && err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	for d := root; ; d = filepath.Dir(d) {
		if decision := told[d]; decision != nil {
			return *decision
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	return otherwise
}

// maxConfig is the maximum size of a settings file in bytes. Package config rejects larger ones.
const maxConfig = 1 << 20

// Warn warns of mistakes in the settings.
func (a *Workspace) Warn(s *Settings) {
	for _, w := range s.Warnings {
		a.Warning(w.String(), w.Hint)
	}
}

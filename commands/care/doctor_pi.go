package care

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// extension checks the extension as it is installed in pi.
func (d *doctor) extension() {
	if _, err := os.Stat(d.AgentDir); err != nil {
		return // agent has reported it
	}
	ext, err := pi.Load()
	if err != nil {
		d.say("extension", resultError, "", "%v", err)
		return
	}
	found := false
	for _, t := range targets(d.Project) {
		found = d.extensionAt(ext, t) || found
	}
	if !found {
		d.say("extension", resultWarning, "pictx setup", "pictx is not installed in pi")
	}
}

// extensionAt checks the extension that pi loads from one place, and reports whether it is
// there.
func (d *doctor) extensionAt(ext pi.Extension, t pi.Target) bool {
	packaged := d.packages(t)
	return d.installed(ext, t) || packaged
}

// shell checks which pictx a shell runs: markers and hints call it by its name.
func (d *doctor) shell() {
	self, err := d.Self()
	path := d.LookPath("pictx", d.Root)
	if err != nil || path == "" || workspace.SamePath(path, self.Path) {
		return
	}
	d.say("shell", resultWarning, "export PATH="+text.ShellWord(filepath.Dir(self.Path))+`:"$PATH"`, "pictx runs %s in a shell, and this is %s", path, self.Path)
}

// packages checks pi's packages for pictx, and reports whether it is among them.
func (d *doctor) packages(t pi.Target) bool {
	entries, err := t.Entries(d.Env.Getenv("HOME"))
	if err != nil {
		d.say("extension", resultWarning, "${EDITOR:-vi} "+text.ShellWord(t.SettingsFile()), "%v", err)
	}
	there := false
	for _, e := range entries {
		switch {
		case !e.Own():
		case e.Off:
			d.say("extension", resultWarning, "pi config", "%s is switched off in pi's settings", e.Source)
			there = true
		case e.Kind != pi.Folder:
			d.say("extension", resultOK, "", "installed in pi as %s", e.Source)
			there = true
		}
	}
	return there
}

// installed checks the extension's directory, and reports whether it exists.
func (d *doctor) installed(ext pi.Extension, t pi.Target) bool {
	hint := setupCommand(t)
	s, err := ext.Status(t)
	if err != nil {
		d.say("extension", resultError, "", "%v", err)
		return true
	}
	self, selfErr := d.Self()
	switch state := s.State(); {
	case state == pi.Missing:
		return false
	case state == pi.Modified:
		d.say("extension", resultWarning, hint, "%s contains files that pictx did not create", s.Dir)
	case state == pi.Outdated && s.Binary.Version != self.Version: // perhaps of a newer pictx
		d.say("extension", resultWarning, hint+", or update pictx", "%s was installed by pictx %s, and this is %s", s.Dir, s.Binary.Version, self.Version)
	case state != pi.Current:
		d.say("extension", resultWarning, hint, "%s is %s", s.Dir, state)
	case s.Binary.Path == "":
		d.say("extension", resultWarning, hint, "%s does not name a program: it looks for pictx on the PATH", s.Dir)
	case !s.Binary.Runs():
		d.say("extension", resultError, hint, "%s runs %s, which is not there", s.Dir, s.Binary.Path)
	case selfErr == nil && s.Binary.Path != self.Path && !workspace.SamePath(s.Binary.Path, self.Path):
		d.say("extension", resultWarning, hint, "%s runs %s, and this is %s", s.Dir, s.Binary.Path, self.Path)
	default:
		d.say("extension", resultOK, "", "%s, runs %s", s.Dir, s.Binary.Path)
	}
	return true
}

// doubles reports other extensions that do the same work: pictx does not work correctly
// beside them.
func (d *doctor) doubles() {
	found, _ := originals(d.Run, d.Project) // extension has reported unreadable settings
	for _, o := range found {
		d.say("extension", resultError, o.RemoveCommand(), "%s is installed, which does the same work as pictx: %s", o.Replaces(), o.Source)
	}
}

// The oldest version of pi that the extension was tested with.
const oldestMajor, oldestMinor = 0, 73

// piVersion checks the version of pi, if it is on the PATH.
func (d *doctor) piVersion(ctx context.Context) {
	path := d.LookPath("pi", d.Root)
	if path == "" {
		return
	}
	const limit = 5 * time.Second
	out, errs, err := repo.Outside(ctx, limit, append(slices.Clone(d.Env.Environ), "PI_OFFLINE=1"), []string{path, "--version"}, "")
	if err != nil {
		d.say("pi version", resultWarning, text.ShellWord(path)+" --version", "%s did not say its version: %v", path, err)
		return
	}
	version := regexp.MustCompile(`\d+\.\d+\.\d+\S*`).FindString(out + errs) // some versions print it to standard error
	major, minor := 0, 0
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 {
		d.say("pi version", resultWarning, text.ShellWord(path)+" --version", "%s says no version", path)
		return
	}
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		d.say("pi version", resultWarning, "pi update", "%s is pi %s; pictx needs %d.%d", path, version, oldestMajor, oldestMinor)
		return
	}
	d.say("pi version", resultOK, "", "pi %s, %s", version, path)
}

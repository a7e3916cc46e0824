package workspace

import (
	"runtime"
	"runtime/debug"

	"github.com/coctostan/pictx/sqlite"
)

// VersionInfo says which build this is.
type VersionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	SQLite   string `json:"sqlite"`
	FullText bool   `json:"full_text"`
	Schema   int    `json:"schema"`
}

// resolveVersion tells a build's version from what the release build injected
// and what the Go tool wrote into the binary: the first of them, the module's
// version, the revision, "development".
func resolveVersion(injected string, info *debug.BuildInfo) VersionInfo {
	v := VersionInfo{Version: injected}
	if info != nil {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Revision = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
		if v.Version == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
	}
	if v.Version == "" && v.Revision != "" {
		v.Version = v.Revision[:min(12, len(v.Revision))]
		if v.Modified {
			v.Version += "-dirty"
		}
	}
	if v.Version == "" {
		v.Version = "development"
	}
	return v
}

// VersionInfo describes the running binary.
func (a *Workspace) VersionInfo() VersionInfo {
	info, _ := debug.ReadBuildInfo()
	v := resolveVersion(a.Env.Version, info)
	v.Go, v.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	lib := sqlite.Library()
	v.SQLite, v.FullText, v.Schema = lib.Version, lib.FullText, sqlite.SchemaVersion()
	return v
}

package commands

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/sqlite"
)

// versionInfo says which build this is.
type versionInfo struct {
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
func resolveVersion(injected string, info *debug.BuildInfo) versionInfo {
	v := versionInfo{Version: injected}
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

// versionInfo describes the running binary.
func (a *app) versionInfo() versionInfo {
	info, _ := debug.ReadBuildInfo()
	v := resolveVersion(a.env.Version, info)
	v.Go, v.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	lib := sqlite.Library()
	v.SQLite, v.FullText, v.Schema = lib.Version, lib.FullText, sqlite.SchemaVersion()
	return v
}

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		GroupID: groupCare,
		Short:   "Print which build this is",
		Long:    "Prints the version, and with --json what this binary was built with.",
		Example: "  pictx version --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := a.versionInfo()
			return a.out.emit(v, func(w *out) {
				fts := "with full-text search"
				if !v.FullText {
					fts = "without full-text search"
				}
				w.printf("pictx %s (%s, %s, SQLite %s %s)\n", v.Version, v.Go, v.Platform, v.SQLite, fts)
			})
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

package workspace

import (
	"runtime/debug"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestTheVersionIsTheFirstThatIsKnown(t *testing.T) {
	t.Parallel()
	const revision = "0123456789abcdef0123"
	build := func(version string, settings ...string) *debug.BuildInfo {
		b := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			b.Settings = append(b.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return b
	}
	for _, tt := range []struct {
		name     string
		injected string
		info     *debug.BuildInfo
		want     VersionInfo
	}{
		{"nothing is known", "", nil, VersionInfo{Version: "development"}},
		{"nothing is in the build", "", build(""), VersionInfo{Version: "development"}},
		{"built in the module", "", build("(devel)"), VersionInfo{Version: "development"}},
		{"a release", "1.2.3", nil, VersionInfo{Version: "1.2.3"}},
		{"a release wins over the module", "1.2.3", build("v0.9.0", "vcs.revision", revision), VersionInfo{Version: "1.2.3", Revision: revision}},
		{"go install", "", build("v0.9.0"), VersionInfo{Version: "v0.9.0"}},
		{"the module wins over the revision", "", build("v0.9.0", "vcs.revision", revision), VersionInfo{Version: "v0.9.0", Revision: revision}},
		{"a changed checkout", "", build("v0.9.1-0.1-0123+dirty", "vcs.revision", revision, "vcs.modified", "true"), VersionInfo{Version: "v0.9.1-0.1-0123+dirty", Revision: revision, Modified: true}},
	} {
		must.Match(t, resolveVersion(tt.injected, tt.info), tt.want, "%s", tt.name)
	}
}

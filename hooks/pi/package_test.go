package pi

import (
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// TestPiCanInstallTheRepositoryAsAPackage holds what pi reads of package.json:
// pi install git:… puts the repository somewhere and loads what this names.
func TestPiCanInstallTheRepositoryAsAPackage(t *testing.T) {
	const root = "../.."
	text := must.Get(os.ReadFile(path.Join(root, "package.json")))(t)
	var manifest struct {
		Name     string
		License  string
		Keywords []string
		Files    []string
		Pi       struct{ Extensions []string }
		Programs map[string]string `json:"optionalDependencies"`
	}
	var all map[string]json.RawMessage
	must.Do(t, json.Unmarshal(text, &manifest))
	must.Do(t, json.Unmarshal(text, &all))
	if manifest.Name != PackageName || manifest.License != "MIT" || !slices.Contains(manifest.Keywords, "pi-package") {
		t.Errorf("name, license or keyword: %+v", manifest)
	}
	if len(manifest.Pi.Extensions) != 1 {
		t.Fatalf("extensions %q, want one", manifest.Pi.Extensions)
	}
	entry := must.Get(os.ReadFile(path.Join(root, manifest.Pi.Extensions[0])))(t)
	x := must.Get(Load())(t)
	finds := string(must.Get(os.ReadFile(path.Join(root, "hooks/pi/extension/binary.ts")))(t))
	for name := range manifest.Programs {
		if parts := strings.Split(name, "-"); len(parts) < 3 || !strings.Contains(finds, `"`+strings.Join(parts[:len(parts)-2], "-")+`-"`) {
			t.Errorf("the extension does not look for %s", name)
		}
	}
	must.Equal(t, len(manifest.Programs), 6, "platforms")
	for _, f := range x.Files() {
		if f.Name == entryFile && string(f.Text) != string(entry) {
			t.Errorf("%s is not what setup pi installs", manifest.Pi.Extensions[0])
		}
		file := path.Join("hooks/pi/extension", f.Name)
		if !slices.ContainsFunc(manifest.Files, func(glob string) bool { ok, _ := path.Match(glob, file); return ok }) {
			t.Errorf("%s is not among the package's files %q", file, manifest.Files)
		}
	}
	for _, key := range []string{"dependencies", "devDependencies", "peerDependencies", "scripts"} {
		if all[key] != nil {
			t.Errorf("it has %s", key)
		}
	}
}

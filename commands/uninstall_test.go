package commands_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
)

// filesOf lists everything below dir: modes, and what files hold or links lead to.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		body := []byte{}
		switch {
		case info.Mode().IsRegular():
			body, err = os.ReadFile(p)
		case info.Mode()&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(p)
			body = []byte(to)
		}
		out[strings.TrimPrefix(p, dir)] = fmt.Sprintf("%v %s", info.Mode(), body)
		return err
	})
	must.Do(t, err)
	return out
}

// runAt runs the program in a home, with its project.
func runAt(t *testing.T, home string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "pictx", args...)
	cmd.Dir = filepath.Join(home, "shop")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE")}
	out, err := cmd.CombinedOutput()
	must.Not(t, err != nil, "pictx %s: %v: %s", strings.Join(args, " "), err, out)
	return string(out)
}

// settled is what filesOf found without the folders, which may stay empty, and with the lists of
// pi's settings in the order of their text, because what was removed comes back at the end.
func settled(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for name, text := range files {
		if strings.HasPrefix(text, "d") {
			continue
		}
		if mode, body, ok := strings.Cut(text, " "); ok && strings.HasSuffix(name, "settings.json") {
			var all map[string]json.RawMessage
			err := json.Unmarshal([]byte(strings.TrimPrefix(body, "\ufeff")), &all)
			must.Stop(t, err != nil, "%s: %v", body, err)
			for _, key := range []string{"packages", "extensions"} {
				var list []json.RawMessage
				if json.Unmarshal(all[key], &list) == nil && list != nil {
					slices.SortFunc(list, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
					all[key], _ = json.Marshal(list)
				}
			}
			text = mode + " " + fmt.Sprintf("%s", all)
		}
		out[name] = text
	}
	return out
}

func TestUninstallLeavesEveryFileAsItWasBeforeSetup(t *testing.T) {
	t.Parallel()
	const packages = "{\n\t\"z\": 1.50,  \"packages\": [ \"npm:pi-lcm\",\r\n \"npm:good\",{\"source\":\"npm:pi-kota\"} ],\n\t\"extensions\": [\"~/pi-kota.ts\"], \"a\": \"\\u00e9\"}\n\n"
	user, project := [][]string{{"setup", "pi", "--yes"}}, [][]string{{"setup", "pi", "--local", "--yes"}}
	for i, tt := range []struct {
		name  string
		files map[string]string // by path; one that ends in / is a folder
		runs  [][]string
	}{
		{"no folder of pi", nil, user},
		{"an empty folder of pi", map[string]string{".pi/agent/": ""}, user},
		{"an empty folder of extensions", map[string]string{".pi/agent/extensions/": ""}, user},
		{"an extension beside", map[string]string{".pi/agent/extensions/mine/index.ts": "//\n"}, user},
		{"settings without packages", map[string]string{".pi/agent/settings.json": "{ \"theme\":\"dark\" }"}, user},
		{"packages that do the same work", map[string]string{".pi/agent/settings.json": packages}, user},
		{"nothing but packages that do the same work", map[string]string{".pi/agent/settings.json": "{\"packages\": [ \"npm:pi-lcm\" ]}"}, user},
		{"set up twice", map[string]string{".pi/agent/settings.json": packages}, append(user, user...)},
		{"in a project", nil, project},
		{"in a project with settings", map[string]string{"shop/.pi/settings.json": packages}, project},
		{
			"for the user and in a project",
			map[string]string{"shop/.pi/settings.json": packages, ".pi/agent/settings.json": packages, ".pi/agent/extensions/": ""},
			append(user, project...),
		},
	} {
		if testing.Short() && i%3 != 2 {
			continue // each is a handful of processes
		}
		home := t.TempDir()
		must.Do(t, os.MkdirAll(filepath.Join(home, "shop", ".git"), 0o755))
		for name, body := range tt.files {
			p := filepath.Join(home, name)
			err := os.MkdirAll(filepath.Dir(p), 0o755)
			if strings.HasSuffix(name, "/") {
				err = os.MkdirAll(p, 0o755)
			} else if err == nil {
				err = os.WriteFile(p, []byte(body), 0o640)
			}
			must.Do(t, err)
		}
		before := settled(t, filesOf(t, home))
		for _, args := range tt.runs {
			runAt(t, home, args...)
		}
		must.Not(t, cmp.Equal(before, settled(t, filesOf(t, home))), "%s: setup changed nothing", tt.name)
		said := runAt(t, home, "uninstall")
		must.Match(t, settled(t, filesOf(t, home)), before, "%s: %s", tt.name, said)
		named := strings.Contains(said, "restored npm:pi-lcm in pi's settings")
		must.Not(t, named != strings.Contains(fmt.Sprint(tt.files), "pi-lcm"), "%s: what was restored is named: %v: %s", tt.name, named, said)
	}
}

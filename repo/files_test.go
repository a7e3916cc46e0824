package repo_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/repo"
)

const limit = 100

// project is a directory with a file, and with links that a clone can bring.
func project(t *testing.T) (root, outside string) {
	t.Helper()
	root, outside = t.TempDir(), t.TempDir()
	for _, dir := range []string{"dir", ".pi"} {
		must.Do(t, os.Mkdir(filepath.Join(root, dir), 0o700))
	}
	for path, text := range map[string]string{
		filepath.Join(root, "file"): "text", filepath.Join(root, "large"): strings.Repeat("x", limit+1), filepath.Join(outside, "secret"): "secret",
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for link, target := range map[string]string{
		"inside": "file", "out": filepath.Join(outside, "secret"), "device": "/dev/zero", "loop": "loop", "nothing": "missing", "far": outside,
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skip("links cannot be made here: ", err)
		}
	}
	return root, outside
}

func TestOnlyRegularFilesInsideTheProjectAreRead(t *testing.T) {
	root, _ := project(t)
	for name, want := range map[string]string{"file": "text", "inside": "text", ".pi/../file": "text"} {
		got, err := repo.Read(root, filepath.Join(root, name), limit)
		must.Not(t, err != nil || string(got) != want, "%s: %q, %v", name, got, err)
	}
	for _, name := range []string{"out", "device", "far/secret", "loop", "nothing", "dir", "large", "../" + filepath.Base(root) + "/../x"} {
		got, err := repo.Read(root, filepath.Join(root, name), limit)
		must.Not(t, err == nil, "%s was read: %.20q", name, got)
	}
	if _, err := repo.Read(root, filepath.Join(root, "no", "such"), limit); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := repo.ReadRegular(filepath.Join(root, "device"), limit); err == nil {
		t.Error("a device was read")
	}
}

func TestNothingIsWrittenOutsideTheProject(t *testing.T) {
	root, outside := project(t)
	for _, name := range []string{"out", "far/new", "nothing", "loop"} {
		err := repo.Write(root, filepath.Join(root, name), []byte("new"), 0o600)
		must.Not(t, err == nil, "%s was written", name)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside there is now %v, %v", left, err)
	}
	if text, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(text) != "secret" {
		t.Errorf("the file outside says %q, %v", text, err)
	}
}

func TestALinkInsideTheProjectStaysAndItsFileIsReplaced(t *testing.T) {
	root, _ := project(t)
	link := filepath.Join(root, "inside")
	must.Do(t, repo.Write(root, link, []byte("new"), 0o600))
	if target, err := os.Readlink(link); err != nil || target != "file" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "file")); err != nil || string(text) != "new" {
		t.Errorf("its file says %q, %v", text, err)
	}
	fresh := filepath.Join(root, "a", "b", "c")
	must.Do(t, repo.Write(root, fresh, []byte("new"), 0o640))
	if st, err := os.Stat(fresh); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("a new file: %v, %v", st, err)
	}
}

// TestTemporaryFilesOfKilledWritersAreRemovedByTheNext leaves the file of a process that
// ended, and that of one which runs.
func TestTemporaryFilesOfKilledWritersAreRemovedByTheNext(t *testing.T) {
	ended := exec.Command(os.Args[0], "-test.run=^$")
	must.Do(t, ended.Run())
	dir := t.TempDir()
	dead := filepath.Join(dir, ".pictx-new-"+strconv.Itoa(ended.Process.Pid)+"-X")
	running := filepath.Join(dir, ".pictx-new-"+strconv.Itoa(os.Getppid())+"-X")
	for _, name := range []string{dead, running} {
		must.Do(t, os.WriteFile(name, nil, 0o600))
	}
	must.Do(t, repo.Replace(filepath.Join(dir, "f"), []byte("x"), 0o600))
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file of a process that ended is still there: %v", err)
	}
	if _, err := os.Stat(running); err != nil {
		t.Errorf("the file of a process that runs is gone: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestWhoMayReadAFileMayEnterTheFolderThatIsMadeForIt(t *testing.T) {
	for perm, want := range map[os.FileMode]os.FileMode{0o644: 0o755, 0o600: 0o700} {
		dir := filepath.Join(t.TempDir(), "new")
		must.Do(t, repo.Replace(filepath.Join(dir, "file"), []byte("x"), perm))
		st, err := os.Stat(dir)
		must.Not(t, err != nil || st.Mode().Perm() != want, "beside a file with %o: %v %v", perm, st, err)
	}
}

package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// Many systems have bash without the package bash-completion. A function stands for the
// program: it says what it was asked, and answers with two words.
func TestBashCompletesWithoutAnotherPackage(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script := must.Get(filepath.Abs("../completions/pictx.bash"))(t)
	const program = `source "$1"; shift
pictx() { echo "$*" >"$asked"; printf 'exit-codes\tx\nenvironment\ty\n:4\n'; }
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9
__start_pictx
echo "${COMPREPLY[*]}"`
	for _, tt := range []struct{ words, asked, offered string }{
		{"pictx help exi", "__complete help exi", "exit-codes"},
		{"pictx usage --by = env", "__complete usage --by=env", "environment"},
	} {
		cmd := exec.CommandContext(t.Context(), bash, append([]string{"--norc", "-c", program, "bash", script}, strings.Fields(tt.words)...)...)
		file := filepath.Join(t.TempDir(), "asked")
		cmd.Env = append(os.Environ(), "asked="+file)
		out, err := cmd.Output()
		asked, _ := os.ReadFile(file)
		must.Not(t, err != nil || strings.TrimSpace(string(out)) != tt.offered || string(asked) != tt.asked+"\n", "%s: %v, offers %q, asks %q", tt.words, err, out, asked)
	}
}

package man

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommittedFilesAreCurrent writes everything anew and compares.
func TestCommittedFilesAreCurrent(t *testing.T) {
	pages, completions := t.TempDir(), t.TempDir()
	if err := Write(pages, completions); err != nil {
		t.Fatal(err)
	}
	compare(t, pages, ".", "*.1")
	compare(t, completions, "../completions", "pictx.*")
}

func compare(t *testing.T, fresh, committed, pattern string) {
	t.Helper()
	want, got := read(t, fresh, pattern), read(t, committed, pattern)
	if len(want) == 0 {
		t.Errorf("nothing was written for %s", pattern)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is not what the commands say: make generate", name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s belongs to no command: make generate", name)
	}
}

func read(t *testing.T, dir, pattern string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = strings.ReplaceAll(string(b), "\r\n", "\n")
	}
	return all
}

func TestEveryPageHasExitStatus(t *testing.T) {
	for name, text := range read(t, ".", "*.1") {
		for _, want := range []string{".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS\n.TP\n\\fB0\\fP\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
}

func TestExitStatusComesBeforeTheLastSection(t *testing.T) {
	codes := "  0    done\n  130  interrupted"
	section := ".SH EXIT STATUS\n.TP\n\\fB0\\fP\ndone\n.TP\n\\fB130\\fP\ninterrupted\n"
	for _, c := range []struct{ page, want string }{
		{".SH NAME\nx\n.SH SEE ALSO\ny\n", ".SH NAME\nx\n" + section + "\n.SH SEE ALSO\ny\n"},
		{".SH NAME\nx\n", ".SH NAME\nx\n\n" + section},
	} {
		if got := withExitStatus(c.page, codes); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

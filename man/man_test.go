package man

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// TestCommittedFilesAreCurrent writes everything anew and compares.
func TestCommittedFilesAreCurrent(t *testing.T) {
	pages, completions := t.TempDir(), t.TempDir()
	must.Do(t, Write(pages, completions))
	compare(t, pages, ".", "*.[17]")
	compare(t, completions, "../completions", "pictx.*")
}

func compare(t *testing.T, fresh, committed, pattern string) {
	t.Helper()
	want, got := read(t, fresh, pattern), read(t, committed, pattern)
	if len(want) == 0 {
		t.Errorf("nothing was written for %s", pattern)
	}
	for name, text := range want {
		must.Equal(t, got[name], text, "%s is not what the commands say: make generate", name)
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s belongs to no command: make generate", name)
	}
}

func read(t *testing.T, dir, pattern string) map[string]string {
	t.Helper()
	names := must.Get(filepath.Glob(filepath.Join(dir, pattern)))(t)
	all := map[string]string{}
	for _, name := range names {
		b := must.Get(os.ReadFile(name))(t)
		all[filepath.Base(name)] = strings.ReplaceAll(string(b), "\r\n", "\n")
	}
	return all
}

func TestEveryPageHasExitStatus(t *testing.T) {
	for name, text := range read(t, ".", "*.1") {
		for _, want := range []string{".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS\n.TP\n\\fB0\\fP\n"} {
			must.Contain(t, text, want, "%s has", name)
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
		must.Equal(t, withExitStatus(c.page, codes), c.want, "got")
	}
}

func TestPagesAreCleanToTheProgramsThatRenderThem(t *testing.T) {
	pages, err := filepath.Glob("*.[17]")
	if err != nil || len(pages) < 90 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, check := range [][]string{
		{"mandoc", "-T", "lint", "-W", "style"},
		{"groff", "-man", "-K", "utf8", "-T", "utf8", "-ww", "-z"},
	} {
		t.Run(check[0], func(t *testing.T) {
			program, err := exec.LookPath(check[0])
			if err != nil {
				t.Skipf("%s is not installed", check[0])
			}
			for i, page := range pages { // one at a time: groff reads several as one page
				if check[0] == "groff" && i%6 != 0 && strings.HasSuffix(page, ".1") {
					continue // it is four processes a page, and one program writes them all
				}
				out, err := exec.CommandContext(t.Context(), program, append(check[1:len(check):len(check)], page)...).CombinedOutput()
				if err != nil || len(out) > 0 {
					t.Errorf("%s: %v: %s", page, err, out)
				}
			}
		})
	}
}

func TestEveryTopicHasAPage(t *testing.T) {
	page := must.Get(os.ReadFile("pictx-storage.7"))(t)
	for _, want := range []string{
		"\npictx-storage - what is kept where", ".SH WHAT CAN BE REBUILT\nThe store holds", ".SH DESCRIPTION\n.EX\n  <agent dir>",
		".EE\n.PP\nThe agent directory",
	} {
		must.Contain(t, string(page), want, "pictx-storage.7 does not hold")
	}
}

// No line that is broken begins with what would be a request, and what stands between
// .EX and .EE stays as it is.
func TestLongLinesAreBroken(t *testing.T) {
	long := strings.Repeat("word ", 16)
	page := ".SH " + long + "word\n" + long + ".pi and more\n.EX\n" + long + "and more\n.EE\n"
	want := ".SH " + long + "word\n" + long[:74] + "\nword .pi and more\n.EX\n" + long + "and more\n.EE\n"
	must.Equal(t, wrapped(page), want, "got")
}

// An option names its value, and no default stands in its place.
func TestOptionsNameTheirValues(t *testing.T) {
	page := must.Get(os.ReadFile("pictx-sessions.1"))(t)
	for _, want := range []string{
		".TP\n\\fB-n\\fP, \\fB--limit\\fP \\fIN\\fP\nlist \\fIN\\fP sessions",
		".TP\n\\fB--all\\fP\nthe sessions of every project",
		".TP\n\\fB--color\\fP \\fIwhen\\fP\n\\fIwhen\\fP to colour",
	} {
		must.Contain(t, string(page), want, "pictx-sessions.1 does not hold")
	}
}

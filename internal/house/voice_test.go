package house

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// unvoiced are the expressions of testdata/unvoiced.txt, which users must not read, each with what
// to say.
func unvoiced(t *testing.T) map[*regexp.Regexp]string {
	t.Helper()
	out := map[*regexp.Regexp]string{}
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/unvoiced.txt"))(t))) {
		if expression, say, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			out[regexp.MustCompile(expression)] = say
		}
	}
	must.Stop(t, len(out) < 80, "only %d expressions were read", len(out))
	return out
}

// spoken returns what users may read of a Go file that ships: its string literals.
func spoken(f file) []string {
	var out []string
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// TestUsersReadNoPhraseThatMustNotComeBack reads every message in the code, the help
// texts and topics, the manual pages, the README, the pages of docs, and the extension of pi.
func TestUsersReadNoPhraseThatMustNotComeBack(t *testing.T) {
	texts := map[string][]string{}
	for _, f := range files(t) {
		part, _, _ := strings.Cut(f.dir, "/")
		if !f.test && part != "internal" && part != "bench" {
			texts[f.name] = spoken(f)
		}
	}
	wrap := regexp.MustCompile(`([^\n])\n([^\n])`) // a phrase may be broken over two lines
	for _, pattern := range []string{"README.md", "docs/*.md", "commands/help/*.txt", "commands/topics/*.txt", "man/*.[17]", "hooks/*.json", "hooks/*/*.json", "hooks/pi/extension/*.ts"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		must.Stop(t, err != nil || len(found) == 0, "no file is called %s (%v)", pattern, err)
		for _, p := range found {
			b := must.Get(os.ReadFile(p))(t)
			texts[p] = []string{wrap.ReplaceAllString(string(b), "$1 $2")}
		}
	}
	for re, say := range unvoiced(t) {
		for name, list := range texts {
			for _, s := range list {
				for _, at := range re.FindAllStringIndex(s, -1) {
					if !strings.HasSuffix(strings.ToLower(s[:at[0]]), "there ") {
						t.Errorf("%s says %q: say %s", name, s[at[0]:at[1]], say)
					}
				}
			}
		}
	}
}

func TestThePhrasesAreFound(t *testing.T) {
	phrases := unvoiced(t)
	for sentence, want := range map[string]bool{
		"took npm:x out of settings.json": true, "zzz is no id of a summary": true, "there is no file x": false,
		"no hello in 2000 ms": true, "no answer within 60 s": true, "its output is 2 answers old": true, "removed npm:x from settings.json": false,
		"150 messages on this branch are as they were": true, "pictx governs what pi has in its context": true,
		"it is content with less than that": true, "they lie in .pi": true, "they are stored in .pi": false,
	} {
		got := false
		for re := range phrases {
			at := re.FindStringIndex(sentence)
			got = got || at != nil && !strings.HasSuffix(sentence[:at[0]], "there ")
		}
		must.Equal(t, got, want, "%q", sentence)
	}
}

// TestPagesForMaintainersNameWhatTheCodeHas looks for every `Type.Method`, and every function and
// method of a walk, among the names that the code declares.
func TestPagesForMaintainersNameWhatTheCodeHas(t *testing.T) {
	declared := map[string]bool{}
	for _, f := range files(t) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declared[n.Name.Name] = true
			case *ast.TypeSpec:
				declared[n.Name.Name] = true
			case *ast.Field: // of a struct or an interface
				for _, name := range n.Names {
					declared[name.Name] = true
				}
			}
			return true
		})
	}
	named := regexp.MustCompile("`([A-Za-z]+)\\.([A-Z][A-Za-z]+)`|`([A-Z][a-z]+[A-Z][A-Za-z]+)`")
	for _, pattern := range []string{"docs/architecture.md", "docs/recipes/*.md", "CONTRIBUTING.md"} {
		for _, p := range must.Get(filepath.Glob(filepath.Join(root, pattern)))(t) {
			for _, m := range named.FindAllStringSubmatch(string(must.Get(os.ReadFile(p))(t)), -1) {
				for i, name := range m[1:] {
					isType := i > 0 || name != strings.ToLower(name) // of package.Name the package is a directory
					must.Not(t, name != "" && isType && !declared[name], "%s names %s: nothing in the code is called %s", p, m[0], name)
				}
			}
		}
	}
}

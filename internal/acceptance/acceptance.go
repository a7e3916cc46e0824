// Package acceptance reads which tests hold which statement of the acceptance
// lists. A list is a file of testdata/acceptance; a test says in its comment, or a
// script of testdata/script in its head, what it holds:
//
//	// Holds prune 13, 14.
//
// It does not know what the tests do: whether one holds what it claims is for
// the reader to judge.
package acceptance

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Where the lists and the scripts lie in the module.
const (
	listDir   = "testdata/acceptance"
	scriptDir = "testdata/script"
)

// Page is a list of statements.
type Page struct {
	Name string // as the tests name it
	// Listed is unset while the page has no list: its statements are then those
	// that tests hold, without titles.
	Listed     bool
	Statements []Statement
}

// names are those that a page may have, listed or not.
var names = []string{"prune", "history", "decisions", "kota", "objects"}

// Statement is one of them.
type Statement struct {
	Number int
	Title  string
	// Overruled is why nothing has to hold it, "" when something has to.
	Overruled string
	// Pending is what is still to be done before a test can hold it.
	Pending string
	// Tests hold it: package directory and function, or the path of a script.
	Tests []string
}

// Missing reports whether the statement has to be held and is not.
func (s Statement) Missing() bool { return s.Overruled == "" && s.Pending == "" && len(s.Tests) == 0 }

// Read reads the lists and the tests of a module. The problems are claims that
// name no statement, a line each.
func Read(module fs.FS) (pages []Page, problems []string, err error) {
	lists, err := fs.Glob(module, listDir+"/*.txt")
	if err != nil {
		return nil, nil, fmt.Errorf("read acceptance lists: %w", err)
	}
	for _, name := range lists {
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return nil, nil, fmt.Errorf("read acceptance list: %w", err)
		}
		page, err := parsePage(strings.TrimSuffix(path.Base(name), ".txt"), string(text))
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		pages = append(pages, page)
	}
	claims, err := readClaims(module)
	if err != nil {
		return nil, nil, err
	}
	pages = withUnlisted(pages, claims)
	return pages, attach(pages, claims), nil
}

// parsePage reads a list: a statement a line, its number and its title, and after
// a bar why it is overruled, or what is still to be done. Empty lines and those that begin with # say nothing.
func parsePage(name, text string) (Page, error) {
	p := Page{Name: name, Listed: true}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		number, rest, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(number)
		if err != nil || n != len(p.Statements)+1 {
			return p, fmt.Errorf("parse statement %q: want number %d", line, len(p.Statements)+1)
		}
		title, overruled, _ := strings.Cut(rest, " | overruled: ")
		title, pending, _ := strings.Cut(title, " | not yet: ")
		if strings.TrimSpace(title) == "" {
			return p, fmt.Errorf("parse statement %d: it has no title", n)
		}
		p.Statements = append(p.Statements, Statement{Number: n, Title: title, Overruled: overruled, Pending: pending})
	}
	return p, nil
}

// claim is what a test says that it holds.
type claim struct {
	test   string
	page   string
	number int
}

// claimForm is the form of a line that makes a claim.
var claimForm = regexp.MustCompile(`^Holds ([a-z]+) (\d+(?:, \d+)*)\.$`)

// parseClaims reads the claims in the comment of a test. A line that looks like
// a claim but is not one is an error: otherwise it would be ignored.
func parseClaims(test, comment string) ([]claim, error) {
	var out []claim
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "Holds ") {
			continue
		}
		m := claimForm.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("parse %q of %s: want a line such as \"Holds prune 13, 14.\"", line, test)
		}
		for number := range strings.SplitSeq(m[2], ", ") {
			n, _ := strconv.Atoi(number)
			out = append(out, claim{test, m[1], n})
		}
	}
	return out, nil
}

// readClaims reads the claims of every test and script.
func readClaims(module fs.FS) ([]claim, error) {
	var out []claim
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return err
		}
		var found []claim
		switch {
		case strings.HasSuffix(name, "_test.go"):
			found, err = claimsOfTests(module, name)
		case path.Dir(name) == scriptDir && path.Ext(name) == ".txtar":
			found, err = claimsOfScript(module, name)
		}
		out = append(out, found...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	return out, nil
}

// claimsOfTests reads the claims in a file of Go tests.
func claimsOfTests(module fs.FS, name string) ([]claim, error) {
	text, err := fs.ReadFile(module, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []claim
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Doc == nil || f.Recv != nil || !isTest(f.Name.Name) {
			continue
		}
		found, err := parseClaims(path.Dir(name)+" "+f.Name.Name, f.Doc.Text())
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz")
}

// claimsOfScript reads the claims in the comment that a script begins with.
func claimsOfScript(module fs.FS, name string) ([]claim, error) {
	text, err := fs.ReadFile(module, name)
	if err != nil {
		return nil, err
	}
	var comment strings.Builder
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		comment.WriteString(rest)
	}
	return parseClaims(name, comment.String())
}

// withUnlisted adds the pages that are claimed and have no list yet.
func withUnlisted(pages []Page, claims []claim) []Page {
	for _, name := range names {
		if slices.ContainsFunc(pages, func(p Page) bool { return p.Name == name }) {
			continue
		}
		var numbers []int
		for _, c := range claims {
			if c.page == name {
				numbers = append(numbers, c.number)
			}
		}
		slices.Sort(numbers)
		p := Page{Name: name}
		for _, n := range slices.Compact(numbers) {
			p.Statements = append(p.Statements, Statement{Number: n})
		}
		if len(p.Statements) > 0 {
			pages = append(pages, p)
		}
	}
	return pages
}

// find returns the statement of a claim, nil when there is no such statement.
func find(pages []Page, c claim) *Statement {
	for i := range pages {
		for j := range pages[i].Statements {
			if s := &pages[i].Statements[j]; pages[i].Name == c.page && s.Number == c.number {
				return s
			}
		}
	}
	return nil
}

// attach puts the claims to their statements and returns those that have none.
func attach(pages []Page, claims []claim) []string {
	var problems []string
	for _, c := range claims {
		s := find(pages, c)
		if s == nil {
			problems = append(problems, fmt.Sprintf("%s holds %s %d, which there is not", c.test, c.page, c.number))
			continue
		}
		if slices.Contains(s.Tests, c.test) {
			problems = append(problems, fmt.Sprintf("%s says twice that it holds %s %d", c.test, c.page, c.number))
			continue
		}
		s.Tests = append(s.Tests, c.test)
	}
	for _, p := range pages {
		for _, s := range p.Statements {
			slices.SortFunc(s.Tests, cmp.Compare[string])
		}
	}
	return problems
}

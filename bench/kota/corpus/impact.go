//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Numbers of files and of names that are sampled per repository.
const (
	sampledFiles  = 60
	sampledImpact = 60
)

// runnerRepositories use test runners that typescriptRepositories do not: ava, node:test, uvu and
// Playwright.
func runnerRepositories() []*repository {
	return []*repository{
		{Repository: "sindresorhus/got", Half: "tests", Commit: "d00d845a0b435365ec73ea5a1fca6e17ee677184"},
		{Repository: "fastify/fastify", Half: "tests", Commit: "83e69762aff047940b376fc2a266d143499ef727"},
		{Repository: "lukeed/polka", Half: "tests", Commit: "c36cf8b5d1a57164e64fdd7d4e0d0f80ab262dc0"},
		{Repository: "microsoft/playwright", Half: "tests", Commit: "d4e1023f6c03a8dced50eb3db88c2217e7c1a86a"},
	}
}

// testTable measures how tests are found, against the names and the syntax of test files.
func testTable() table {
	return table{"tests that reach files, against what test runners run", []string{"files", "listed", "are tests", "found", "own tests", "first five"}, testsThatReach, nil}
}

// impactTable measures impact against TypeScript's checker.
func impactTable() table {
	return table{"files that take a name, in the first ring of impact, against TypeScript's checker", []string{"names", "files", "recall", "precision"}, nameImpact, nil}
}

// testFiles returns the files of a repository that a test runner runs.
func (l *lab) testFiles(r *repository, files []string) (map[string]bool, error) {
	ts, err := typescript()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("node", "bench/kota/corpus/tests.cjs", ts, r.dir)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	out, err := output(cmd)
	if err != nil {
		return nil, fmt.Errorf("look for tests: %w", err)
	}
	tests := make(map[string]bool)
	for _, f := range strings.Fields(string(out)) {
		tests[f] = true
	}
	return tests, nil
}

// near is a file in an answer.
type near struct {
	File     string
	Distance int
	Test     bool
	Support  bool `json:"test_support"`
	Takes    []string
}

// ask asks pictx and decodes the answer.
func (l *lab) ask(r *repository, answer any, args ...string) error {
	text, err := l.kota(r, append(args, "--json", "--max-bytes", "0")...)
	if err != nil || strings.TrimSpace(text) == "" {
		return err
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		return fmt.Errorf("read kota %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// testsThatReach compares the tests among the dependents of sampled files with the files that a
// test runner runs, and checks that the tests named after a file are listed.
func testsThatReach(l *lab, r *repository) ([]string, error) {
	list, err := r.git("ls-files")
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(strings.Split(list, "\n"), func(f string) bool { return !isModule(f) || strings.HasSuffix(f, ".d.ts") })
	tests, err := l.testFiles(r, files)
	if err != nil {
		return nil, err
	}
	code := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return tests[f] })
	listed, wanted := make(map[string]bool), make(map[string]bool)
	asked := spread(code, sampledFiles)
	for _, f := range asked {
		var d struct{ Dependents struct{ List []near } }
		if err := l.ask(r, &d, "deps", f, "--direction", "dependents", "--depth", "5", "--tests"); err != nil {
			return nil, err
		}
		for _, x := range d.Dependents.List {
			if x.Test {
				listed[x.File] = true
			}
			if tests[x.File] {
				wanted[x.File] = true
			}
		}
	}
	right := 0
	for f := range listed {
		if tests[f] {
			right++
		} else if l.verbose {
			fmt.Println("  no test:", f)
		}
	}
	for f := range wanted {
		if l.verbose && !listed[f] {
			fmt.Println("  a test:", f)
		}
	}
	own := ownTests(code, tests)
	five := 0
	for _, pair := range own {
		var im struct{ Tests []near }
		if err := l.ask(r, &im, "impact", "--modify", pair[0]); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(im.Tests, func(x near) bool { return x.File == pair[1] })
		if at >= 0 && at < 5 {
			five++
		} else if l.verbose {
			fmt.Printf("  own test of %s at %d: %s\n", pair[0], at+1, pair[1])
		}
	}
	return []string{strconv.Itoa(len(asked)), strconv.Itoa(len(listed)), percent(right, len(listed)), percent(right, len(wanted)), strconv.Itoa(len(own)), percent(five, len(own))}, nil
}

// ownTests pairs files with the one test that is named after each, in the same directory or in a
// test directory next to it. Names that several files share are left out.
func ownTests(code []string, tests map[string]bool) [][2]string {
	stem := func(f string) string { return strings.TrimSuffix(path.Base(f), path.Ext(f)) }
	by := make(map[string][]string)
	for f := range tests {
		name := stem(f)
		for _, end := range []string{".test", ".spec", "-test", "_test", ".vitest", ".e2e", ".cy", "-spec"} {
			name = strings.TrimSuffix(name, end)
		}
		dir := path.Dir(f)
		if b := path.Base(dir); b == "__tests__" || b == "test" || b == "tests" {
			dir = path.Dir(dir)
		}
		by[path.Join(dir, name)] = append(by[path.Join(dir, name)], f)
	}
	times := make(map[string]int)
	for _, f := range code {
		times[path.Join(path.Dir(f), stem(f))]++
	}
	var out [][2]string
	for _, f := range code {
		key := path.Join(path.Dir(f), stem(f))
		if own := by[key]; len(own) == 1 && times[key] == 1 && stem(f) != "index" {
			out = append(out, [2]string{f, own[0]})
		}
	}
	return spread(out, sampledFiles)
}

// spread samples at most n elements, evenly from the whole list.
func spread[T any](list []T, n int) []T {
	step := max(1, (len(list)+n-1)/n)
	var out []T
	for i := 0; i < len(list); i += step {
		out = append(out, list[i])
	}
	return out
}

// nameImpact compares the files that use a name: by impact and by TypeScript's checker. It leaves
// out files that import another name of the same file whose declaration uses the name.
// Re-exports, files that only add to the declaration, and test support, which impact counts
// without listing, count on neither side.
func nameImpact(l *lab, r *repository) ([]string, error) {
	c, err := l.checker(r)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Clone(c.names), func(n checkedName) bool { return n.Member || n.Offered })
	asked := spread(all, sampledImpact)
	want, hit, said := 0, 0, 0
	for _, n := range asked {
		apart := map[string]bool{n.File: true}
		var u struct{ List []near }
		if err := l.ask(r, &u, "usages", n.Name, "--file", n.File, "--tests"); err != nil {
			return nil, err
		}
		for _, x := range u.List {
			apart[x.File] = apart[x.File] || x.Support
		}
		truth := make(map[string]bool)
		for at := range c.truth(n) {
			if f, _ := place(at); !apart[f] {
				truth[f] = true
			}
		}
		var im struct{ Dependents, Tests []near }
		if err := l.ask(r, &im, "impact", "--symbol", n.Name, "--file", n.File); err != nil {
			return nil, err
		}
		for _, x := range slices.Concat(im.Dependents, im.Tests) {
			if x.Distance != 1 || !slices.Contains(x.Takes, n.Name) || !isModule(x.File) || len(c.Passing[x.File]) > 0 || slices.Contains(c.Unjudged, x.File) {
				continue
			}
			if !truth[x.File] && n.declaredIn(x.File) {
				continue
			}
			if said++; truth[x.File] {
				hit++
			} else if l.verbose {
				fmt.Printf("  extra: %s of %s in %s\n", n.Name, n.File, x.File)
			}
			delete(truth, x.File)
		}
		for f := range truth {
			if len(c.Passing[f]) > 0 {
				delete(truth, f)
			} else if l.verbose {
				fmt.Printf("  missed: %s of %s in %s\n", n.Name, n.File, f)
			}
		}
		want += len(truth)
	}
	return []string{strconv.Itoa(len(asked)), strconv.Itoa(want + hit), percent(hit, want+hit), percent(hit, said)}, nil
}

//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// typescriptVersion is the version of TypeScript to compare with.
const typescriptVersion = "5.9.3"

// sampled is the number of exported names, and of members, that are sampled per repository.
const sampled = 200

// typescriptRepositories are the repositories whose uses are compared with TypeScript's checker.
func typescriptRepositories() []*repository {
	return []*repository{
		{Repository: "reduxjs/redux-toolkit", Half: "usages", Commit: "74200d87c27ca2b1c0915b2fbb4c44dd7494c2aa"},
		{Repository: "facebook/lexical", Half: "usages", Commit: "5d5102235132888d15789bf76cf214ede2a98d62"},
		{Repository: "honojs/hono", Half: "usages", Commit: "28a9c128912de19f3fb28b00ae289c9b93f6f392"},
		{Repository: "remix-run/react-router", Half: "usages", Commit: "cab1a69054aa7dfba08a81b6e4b4d13957c82a38"},
		{Repository: "colinhacks/zod", Half: "usages", Commit: "e516c3baf22615e20934116abebfed6c000222c2"},
		{Repository: "mobxjs/mobx", Half: "usages", Commit: "01211a698b64ea94de8e5f276ff8235fcf8ddf96"},
		{Repository: "apollographql/apollo-client", Half: "usages", Commit: "54084bc22e92651cf153d03d0370b8dff3d1163f"},
		{Repository: "typeorm/typeorm", Half: "usages", Commit: "281bfba42a5813b106bcf5ba79bc7f7251bd1e73"},
		{Repository: "statelyai/xstate", Half: "usages", Commit: "b1811bf77bc2d1a74367328cec7907aa185b70df"},
		{Repository: "prettier/prettier", Half: "usages", Commit: "4f84a934201322ca87750e2b9b25baf296da6560"},
		{Repository: "TanStack/query", Half: "usages", Commit: "40321a0b1b3bdd0afa11f0e439642ab84cdf6afe"},
		{Repository: "vitejs/vite", Half: "usages", Commit: "a98c8d95d552c6fa98ab66fb810f5b39ad5abf49"},
	}
}

// usageTables are the measurements of uses.
func usageTables() []table {
	return []table{
		{"uses of exported names by line, against TypeScript's checker", []string{"names", "perfect", "line recall", "precision"}, nameUsages, nil},
		{"uses of names exported only in an object, by line, against TypeScript's checker", []string{"names", "perfect", "line recall", "precision"}, offeredUsages, nil},
		{"uses of members, candidates by name, against TypeScript's checker", []string{"members", "recall, all", "listed", "first ten", "of ten", "likely", "its recall"}, memberUsages, nil},
	}
}

// checked is the result of TypeScript's checker for a repository.
type checked struct {
	// Passing are the lines that import or export whole modules, which a compiler counts as
	// no use. Spans are the imports and exports that take several lines.
	Passing map[string][]int
	Spans   map[string][][2]int
	// Unjudged are files with imports that only a build resolves, and files that the checker
	// cannot parse: it does not know what they use.
	Unjudged []string
	names    []checkedName
}

// checkedName is a name and the lines that use it, as file:line.
type checkedName struct {
	Name, File string
	Member     bool
	Offered    bool     // it is exported only in an object
	Declared   []string // lines of its declarations
	Lines      []string
	Through    []string // lines that import what holds it, and do not use it
}

// declaredIn reports whether a declaration of the name is in a file: interfaces and modules have
// several.
func (n *checkedName) declaredIn(file string) bool {
	return slices.ContainsFunc(n.Declared, func(at string) bool {
		f, _ := place(at)
		return f == file
	})
}

// typescript returns the directory of TypeScript, and installs it with npm if needed.
func typescript() (string, error) {
	at := filepath.Join(filepath.Dir(defaultDir()), "pictx-bench-typescript-"+typescriptVersion)
	dir := filepath.Join(at, "node_modules", "typescript")
	if _, err := os.Stat(filepath.Join(dir, "package.json")); err == nil {
		return dir, nil
	}
	if _, err := output(exec.Command("npm", "install", "--prefix", at, "--no-audit", "--no-fund", "--ignore-scripts", "typescript@"+typescriptVersion)); err != nil {
		return "", fmt.Errorf("install TypeScript: %w", err)
	}
	return dir, nil
}

// isModule reports whether TypeScript reads a file.
func isModule(file string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}, filepath.Ext(file))
}

// checker returns the result of TypeScript's checker for a repository; it is cached.
func (l *lab) checker(r *repository) (*checked, error) {
	if c := l.truths[r]; c != nil {
		return c, nil
	}
	out, err := l.truthOf(r)
	if err != nil {
		return nil, err
	}
	c, err := readChecked(out)
	if err != nil {
		return nil, fmt.Errorf("read what TypeScript says: %w", err)
	}
	l.truths[r] = c
	return c, nil
}

// readChecked decodes the output of usages.cjs.
func readChecked(out []byte) (*checked, error) {
	c := &checked{}
	d := json.NewDecoder(bytes.NewReader(out))
	if err := d.Decode(c); err != nil {
		return nil, err
	}
	for d.More() {
		var n checkedName
		if err := d.Decode(&n); err != nil {
			return nil, err
		}
		c.names = append(c.names, n)
	}
	return c, nil
}

// truthOf returns the output of usages.cjs for a repository. It takes minutes, and is cached in
// truthDir.
func (l *lab) truthOf(r *repository) ([]byte, error) {
	if l.truthDir == "" {
		return askTypeScript(r)
	}
	script, err := os.ReadFile(usagesScript)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(fmt.Append(script, r.Repository, r.Commit, typescriptVersion, sampled))
	at := filepath.Join(l.truthDir, hex.EncodeToString(key[:8])+".json")
	if out, err := os.ReadFile(at); err == nil {
		return out, nil
	}
	out, err := askTypeScript(r)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(l.truthDir, 0o700); err != nil {
		return nil, err
	}
	return out, os.WriteFile(at, out, 0o600)
}

// usagesScript is the script that runs TypeScript's checker.
const usagesScript = "bench/kota/corpus/usages.cjs"

// askTypeScript runs TypeScript's checker on a repository.
func askTypeScript(r *repository) ([]byte, error) {
	ts, err := typescript()
	if err != nil {
		return nil, err
	}
	list, err := r.git("ls-files")
	if err != nil {
		return nil, err
	}
	var in bytes.Buffer
	for f := range strings.Lines(list) {
		f = strings.TrimSuffix(f, "\n")
		if st, err := os.Lstat(filepath.Join(r.dir, f)); err != nil || !st.Mode().IsRegular() {
			continue
		}
		if isModule(f) {
			in.WriteByte('+')
		}
		fmt.Fprintln(&in, f)
	}
	cmd := exec.Command("node", "--max-old-space-size=6144", "--stack-size=3000", usagesScript, ts, r.dir, strconv.Itoa(sampled))
	cmd.Stdin = &in
	out, err := output(cmd)
	if err != nil {
		return nil, fmt.Errorf("ask TypeScript: %w", err)
	}
	return out, nil
}

// at returns a line in the form in which both sides are compared. An import or export of several
// lines counts as its first line.
func (c *checked) at(file string, line int) string {
	for _, s := range c.Spans[file] {
		if s[0] <= line && line <= s[1] {
			line = s[0]
		}
	}
	return file + ":" + strconv.Itoa(line)
}

// place splits file:line.
func place(at string) (string, int) {
	i := strings.LastIndexByte(at, ':')
	n, _ := strconv.Atoi(at[i+1:])
	return at[:i], n
}

// truth returns the lines that use a name.
func (c *checked) truth(n checkedName) map[string]bool {
	out := make(map[string]bool)
	for _, at := range n.Lines {
		file, line := place(at)
		if !slices.Contains(n.Declared, at) && c.judges(file, line) {
			out[c.at(file, line)] = true
		}
	}
	return out
}

// judges reports whether the checker knows what a line uses. It does not read component files.
func (c *checked) judges(file string, line int) bool {
	return isModule(file) && !slices.Contains(c.Passing[file], line) && !slices.Contains(c.Unjudged, file)
}

// said is a line in pictx's answer.
type said struct {
	at       string
	likely   bool
	unlikely bool // pictx lists it only on request
}

// usages returns the lines that pictx reports as uses of a name, in its order, each once.
func (l *lab) usages(r *repository, c *checked, n checkedName) ([]said, error) {
	text, err := l.kota(r, "usages", n.Name, "--file", n.File, "--tests", "--all", "--json", "--max-bytes", "0")
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	var answer struct {
		List []struct {
			File     string
			Import   int
			Lines    []int
			Likely   bool
			Unlikely bool
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, fmt.Errorf("read the usages of %s: %w", n.Name, err)
	}
	var out []said
	truth, seen := c.truth(n), make(map[string]bool)
	for _, u := range answer.List {
		lines := u.Lines
		if u.Import > 0 {
			lines = append([]int{u.Import}, lines...)
		}
		for _, line := range lines {
			at := c.at(u.File, line)
			declared := slices.Contains(n.Declared, u.File+":"+strconv.Itoa(line))
			if seen[at] || declared || !c.judges(u.File, line) || !truth[at] && slices.Contains(n.Through, u.File+":"+strconv.Itoa(line)) {
				continue
			}
			seen[at] = true
			out = append(out, said{at, u.Likely, u.Unlikely})
		}
	}
	return out, nil
}

// nameUsages compares the lines that use exported names.
func nameUsages(l *lab, r *repository) ([]string, error) { return l.compareUsages(r, false) }

// offeredUsages compares the lines that use names which are exported only in an object.
func offeredUsages(l *lab, r *repository) ([]string, error) { return l.compareUsages(r, true) }

// compareUsages compares the lines that use names.
func (l *lab) compareUsages(r *repository, offered bool) ([]string, error) {
	c, err := l.checker(r)
	if err != nil {
		return nil, err
	}
	names, perfect, want, hit, all := 0, 0, 0, 0, 0
	for _, n := range c.names {
		if n.Member || n.Offered != offered {
			continue
		}
		got, err := l.usages(r, c, n)
		if err != nil {
			return nil, err
		}
		truth := c.truth(n)
		right := 0
		for _, s := range got {
			if truth[s.at] {
				right++
			} else {
				l.show("extra", n, s.at)
			}
			delete(truth, s.at)
		}
		for at := range truth {
			l.show("missed", n, at)
		}
		names, want, hit, all = names+1, want+right+len(truth), hit+right, all+len(got)
		perfect += oneIf(len(truth) == 0 && right == len(got))
	}
	return []string{strconv.Itoa(names), strconv.Itoa(perfect), percent(hit, want), percent(hit, all)}, nil
}

// memberUsages compares the lines that may use members. Its columns are the members with uses, the
// share of the uses among all lines that pictx knows, and among those that it lists unasked; how
// many of the first ten that it lists (or as many as there are uses) are uses, and what share they
// are of those ten; the lines reported as likely.
//
// pictx may list fewer than ten lines. The share of the ten counts what it then lacks as wrong.
func memberUsages(l *lab, r *repository) ([]string, error) {
	c, err := l.checker(r)
	if err != nil {
		return nil, err
	}
	var sum memberCounts
	for _, n := range c.names {
		truth := c.truth(n)
		if !n.Member || len(truth) == 0 {
			continue
		}
		got, err := l.usages(r, c, n)
		if err != nil {
			return nil, err
		}
		sum.members, sum.want, sum.ten = sum.members+1, sum.want+len(truth), sum.ten+min(10, len(truth))
		for k, s := range got {
			sum.add(s, truth[s.at], k < min(10, len(truth)))
			if k < min(10, len(truth)) && !s.unlikely && !truth[s.at] {
				l.show("extra in the first ten", n, s.at)
			}
		}
	}
	return []string{
		strconv.Itoa(sum.members), percent(sum.hit, sum.want), percent(sum.listed, sum.want), percent(sum.firstRight, sum.first),
		percent(sum.firstRight, sum.ten), percent(sum.likelyRight, sum.likely), percent(sum.likelyRight, sum.want),
	}, nil
}

// memberCounts counts lines that may use members, and how many do.
type memberCounts struct {
	members, want, ten                     int // uses, and those that fit in the first ten
	hit, listed                            int // uses that pictx knows, and lists
	first, firstRight, likely, likelyRight int // lines that it lists first, or calls likely
}

// add counts a line.
func (c *memberCounts) add(s said, isUse, first bool) {
	right := oneIf(isUse)
	c.hit += right
	if s.unlikely {
		return
	}
	c.listed += right
	if first {
		c.first, c.firstRight = c.first+1, c.firstRight+right
	}
	if s.likely {
		c.likely, c.likelyRight = c.likely+1, c.likelyRight+right
	}
}

// show prints a difference between the two sides when verbose.
func (l *lab) show(how string, n checkedName, at string) {
	if l.verbose {
		fmt.Printf("  %s: %s of %s at %s\n", how, n.Name, n.File, at)
	}
}

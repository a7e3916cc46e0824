//go:build unix

// Command corpus measures how well pictx kota answers on public repositories at pinned commits,
// and prints a table for each kind of question. It clones missing repositories and reports those
// that it cannot get. It asserts nothing.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/internal/scratch"
)

//go:embed questions.json
var questionsFile []byte

// repository is a repository to measure.
type repository struct {
	Repository string // owner/name
	Commit     string
	Half       string // "develop" or "report": only the latter is evidence of quality
	Questions  []question

	dir string // work tree
}

// lab holds the programs and files of a run.
type lab struct {
	pictx, codegraph, agent string
	verbose                 bool
	also, alsoGo            []*repository
	truths                  map[*repository]*checked
	tables                  string // text in the names of the wanted tables
	truthDir                string // directory that caches truths for other runs, "" for none
}

// adder returns a function that adds owner/name@commit to a list of repositories.
func adder(to *[]*repository) func(string) error {
	return func(name string) error {
		repo, commit, found := strings.Cut(name, "@")
		if !found || strings.Count(repo, "/") != 1 {
			return errors.New("want owner/name@commit")
		}
		*to = append(*to, &repository{Repository: repo, Half: "also", Commit: commit})
		return nil
	}
}

// table is one kind of question: its columns, and a function that measures a repository.
type table struct {
	name    string
	columns []string
	row     func(*lab, *repository) ([]string, error)
	// sum returns the last rows; it may be nil.
	sum func() [][]string
}

func main() {
	l := &lab{truths: make(map[*repository]*checked)}
	flag.StringVar(&l.pictx, "pictx", "bin/pictx", "the `program` to measure")
	flag.StringVar(&l.codegraph, "codegraph", "", "ask this codegraph `program` the same questions")
	flag.BoolVar(&l.verbose, "v", false, "list every question with the place of its answer")
	dir := flag.String("repos", defaultDir(), "keep the repositories in this `directory`, as owner/name")
	from := flag.String("from", "https://github.com/", "clone from this `address` with owner/name behind it")
	only := flag.String("only", "", "measure the repositories with this `text` in their names or halves")
	flag.StringVar(&l.tables, "tables", "", "print the tables with this `text` in their names")
	flag.Func("also", "measure uses, impact and tests on `owner/name@commit`, too", adder(&l.also))
	flag.Func("also-go", "compare `owner/name@commit` with go list and gopls, too", adder(&l.alsoGo))
	flag.StringVar(&l.truthDir, "truth", "", "keep what TypeScript says in this `directory`, and take it from there")
	flag.Parse()
	if err := run(l, *dir, *from, *only); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// defaultDir is the directory of the clones without -repos.
func defaultDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "pictx-bench-corpus")
}

func run(l *lab, dir, from, only string) error {
	var err error
	if l.pictx, err = filepath.Abs(l.pictx); err != nil {
		return err
	}
	var remove func()
	if l.agent, remove, err = scratch.Dir("pictx-corpus-"); err != nil {
		return err
	}
	defer remove()
	all, err := repositories(only)
	if err != nil {
		return err
	}
	if err := measure(l, []table{questionTable(l)}, checkOutAll(all, dir, from)); err != nil {
		return err
	}
	checkedByTypeScript := checkOutAll(selected(append(typescriptRepositories(), l.also...), only), dir, from)
	if err := measure(l, append(usageTables(), impactTable()), checkedByTypeScript); err != nil {
		return err
	}
	if err := measure(l, []table{testTable()}, append(checkedByTypeScript, checkOutAll(selected(runnerRepositories(), only), dir, from)...)); err != nil {
		return err
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	inGo := checkOutAll(selected(append(goRepositories(), l.alsoGo...), only), dir, from)
	inGo = append(inGo, selected([]*repository{{Repository: "coctostan/pictx", Half: "go", dir: here}}, only)...)
	return measure(l, goTables(), inGo)
}

// checkOutAll checks out all repositories and returns those that succeeded.
func checkOutAll(all []*repository, dir, from string) []*repository {
	var there []*repository
	for _, r := range all {
		r.dir = filepath.Join(dir, filepath.FromSlash(r.Repository))
		if err := r.checkOut(from); err != nil {
			fmt.Printf("%s is left out: %v\n", r.Repository, err)
			continue
		}
		there = append(there, r)
	}
	fmt.Printf("%d of %d repositories\n", len(there), len(all))
	return there
}

// measure prints the wanted tables for repositories.
func measure(l *lab, tables []table, repos []*repository) error {
	for _, t := range tables {
		if len(repos) == 0 || !strings.Contains(t.name, l.tables) {
			continue
		}
		if err := t.print(l, repos); err != nil {
			return err
		}
	}
	return nil
}

// repositories reads those repositories whose name or half contains a text.
func repositories(only string) ([]*repository, error) {
	var file struct{ Repositories []*repository }
	if err := json.Unmarshal(questionsFile, &file); err != nil {
		return nil, err
	}
	return selected(file.Repositories, only), nil
}

// selected returns those repositories whose name or half contains a text.
func selected(all []*repository, only string) []*repository {
	var out []*repository
	for _, r := range all {
		if strings.Contains(r.Repository+" "+r.Half, only) {
			out = append(out, r)
		}
	}
	return out
}

// codePatterns are the files that are checked out. The rest is images and data.
var codePatterns = []string{
	"*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue", "*.svelte", "*.astro",
	"*.go", "go.mod", "go.sum", "go.work", "package.json", "tsconfig*.json", "pnpm-workspace.yaml", ".gitignore",
}

// checkOut checks out the pinned commit, unless it is checked out already.
func (r *repository) checkOut(from string) error {
	if at, err := r.git("rev-parse", "HEAD"); err == nil && strings.TrimSpace(at) == r.Commit {
		return nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q", "."},
		append([]string{"sparse-checkout", "set", "--no-cone"}, codePatterns...),
		{"fetch", "-q", "--depth", "1", "--filter=blob:none", from + r.Repository, r.Commit},
		{"checkout", "-q", "FETCH_HEAD"},
	} {
		if _, err := r.git(args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs git in the repository.
func (r *repository) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.dir))
	out, err := output(cmd)
	if err != nil {
		err = fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), err
}

// output runs a program. Its error is the first line on standard error that is not a warning.
func output(cmd *exec.Cmd) ([]byte, error) {
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil && complaint.Len() > 0 {
		for line := range strings.Lines(complaint.String()) {
			if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, "warning:") {
				return out, errors.New(line)
			}
		}
	}
	return out, err
}

// kota asks pictx about a repository.
func (l *lab) kota(r *repository, args ...string) (string, error) {
	cmd := exec.Command(l.pictx, append([]string{"kota"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "PI_CODING_AGENT_DIR="+l.agent)
	out, err := cmd.Output()
	code := cmd.ProcessState.ExitCode() // 3: nothing was found; 2, with an answer: several places are meant
	if err != nil && code != 3 && (code != 2 || len(out) == 0) {
		return "", fmt.Errorf("pictx kota %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// print measures and prints a table.
func (t *table) print(l *lab, repos []*repository) error {
	fmt.Printf("\n%s\n%-22s", t.name, "repository")
	for _, c := range t.columns {
		fmt.Printf(" %12s", c)
	}
	fmt.Println()
	for _, r := range repos {
		if _, err := l.kota(r, "index", "--yes"); err != nil { // a question makes no costly index unasked
			return err
		}
		row, err := t.row(l, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Repository, err)
		}
		printRow(r.Repository, row)
	}
	if t.sum != nil {
		for _, row := range t.sum() {
			printRow(row[0], row[1:])
		}
	}
	return nil
}

func printRow(name string, cells []string) {
	fmt.Printf("%-22s", name)
	for _, c := range cells {
		fmt.Printf(" %12s", c)
	}
	fmt.Println()
}

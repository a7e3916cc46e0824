//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// goRepositories are those in Go, beside the one that this program is part of.
func goRepositories() []*repository {
	return []*repository{
		{Repository: "spf13/cobra", Half: "go", Commit: "adbc8813901bba65827259daa8e22ff94ec1f30e"},
		{Repository: "jmoiron/sqlx", Half: "go", Commit: "41dac167fdad5e3fd81d66cafba0951dc6823a30"},
		{Repository: "etcd-io/etcd", Half: "go", Commit: "c34dc7ee0048fd2bcc44d50beff002e5e8069b69"},
	}
}

// goTables are what is measured of Go: against go list, and against gopls where that
// is installed. Neither is run on anything but these repositories.
func goTables() []table {
	return []table{
		{"imports of packages of the repository, against go list", []string{"files", "imports", "recall", "precision"}, goEdges, nil},
		{"uses of package-level names, against gopls", []string{"names", "perfect", "line recall", "precision"}, goUsages, nil},
		{"uses of methods, candidates by name, against gopls", []string{"methods", "line recall", "first ten", "likely", "its recall"}, goMethods, nil},
	}
}

// goPackage is what go list says of a package.
type goPackage struct {
	Dir, ImportPath                              string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	ImportMap                                    map[string]string
	Standard                                     bool
}

// goList lists the packages of every module of a repository, with those they import.
func goList(r *repository) ([]goPackage, error) {
	out, err := r.git("ls-files", "--", "go.mod", "**/go.mod")
	if err != nil {
		return nil, err
	}
	var all []goPackage
	for _, f := range strings.Fields(out) {
		cmd := exec.Command("go", "list", "-e", "-deps", "-test", "-json=Dir,ImportPath,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,ImportMap,Standard", "./...")
		cmd.Dir = filepath.Join(r.dir, filepath.Dir(f))
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")
		text, err := cmd.Output()
		if err != nil {
			continue // a module without packages
		}
		d := json.NewDecoder(strings.NewReader(string(text)))
		for {
			var p goPackage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("read go list: %w", err)
			}
			if !p.Standard && p.Dir != "" {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// goTruth is, by file of the default build, the directories of the repository that it
// imports.
func goTruth(r *repository) (map[string][]string, error) {
	packages, err := goList(r)
	if err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		return nil, err
	}
	dirs := make(map[string]string)
	for _, p := range packages {
		if rel, err := filepath.Rel(root, p.Dir); err == nil && filepath.IsLocal(rel) {
			dirs[p.ImportPath] = filepath.ToSlash(rel)
		}
	}
	truth := make(map[string][]string)
	for _, p := range packages {
		if _, own := dirs[p.ImportPath]; !own {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			full := filepath.Join(p.Dir, name)
			rel, err := filepath.Rel(root, full)
			if st, bad := os.Lstat(full); err != nil || filepath.IsAbs(name) || bad != nil || !st.Mode().IsRegular() {
				continue // made by the build, or a link to a file that is there
			}
			file, err := parser.ParseFile(token.NewFileSet(), full, nil, parser.ImportsOnly)
			if err != nil {
				continue
			}
			to := []string{}
			for _, im := range file.Imports {
				spec, _ := strconv.Unquote(im.Path.Value)
				if other := p.ImportMap[spec]; other != "" {
					spec = other
				}
				spec, _, _ = strings.Cut(spec, " ")
				if dir, ok := dirs[spec]; ok {
					to = append(to, dir)
				}
			}
			slices.Sort(to)
			truth[filepath.ToSlash(rel)] = slices.Compact(to)
		}
	}
	return truth, nil
}

// goEdges compares the packages that files depend on.
func goEdges(l *lab, r *repository) ([]string, error) {
	truth, err := goTruth(r)
	if err != nil {
		return nil, err
	}
	var files []string
	for f := range truth {
		files = append(files, f)
	}
	slices.Sort(files)
	want, hit, said := 0, 0, 0
	for _, f := range files {
		text, err := l.kota(r, "deps", f, "--direction", "dependencies", "--tests", "--json", "--max-bytes", "0")
		if err != nil {
			return nil, err
		}
		var answer struct {
			Dependencies struct {
				List []struct {
					File     string
					Inferred bool
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			return nil, fmt.Errorf("read the dependencies of %s: %w", f, err)
		}
		var dirs []string
		for _, d := range answer.Dependencies.List {
			dir := filepath.ToSlash(filepath.Dir(d.File))
			if strings.HasSuffix(d.File, ".go") && !d.Inferred && (dir != filepath.ToSlash(filepath.Dir(f)) || slices.Contains(truth[f], dir)) {
				dirs = append(dirs, dir)
			}
		}
		slices.Sort(dirs)
		dirs = slices.Compact(dirs)
		want, said = want+len(truth[f]), said+len(dirs)
		for _, d := range truth[f] {
			if slices.Contains(dirs, d) {
				hit++
			} else if l.verbose {
				fmt.Println("  missed:", f, d)
			}
		}
		for _, d := range dirs {
			if l.verbose && !slices.Contains(truth[f], d) {
				fmt.Println("  extra:", f, d)
			}
		}
	}
	return []string{strconv.Itoa(len(files)), strconv.Itoa(want), percent(hit, want), percent(hit, said)}, nil
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(of))
}

// goName is a name that a package declares.
type goName struct {
	name, file   string
	line, column int
}

// goNames samples the names that the files of a repository declare: of the package, or
// of methods.
func goNames(r *repository, most int, methods bool) ([]goName, error) {
	truth, err := goTruth(r)
	if err != nil {
		return nil, err
	}
	var all []goName
	for f := range truth {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(r.dir, f), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		add := func(id *ast.Ident) {
			if at := fset.Position(id.Pos()); id.Name != "_" && id.Name != "init" && id.Name != "main" && !methods {
				all = append(all, goName{id.Name, f, at.Line, at.Column})
			}
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name)
				} else if owner := ownerOf(d); owner != "" && methods {
					at := fset.Position(d.Name.Pos())
					all = append(all, goName{owner + "." + d.Name.Name, f, at.Line, at.Column})
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						add(s.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							add(n)
						}
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b goName) int { return strings.Compare(a.name+a.file, b.name+b.file) })
	var out []goName
	for i := 0; i < len(all); i += max(1, len(all)/most) {
		out = append(out, all[i])
	}
	return out, nil
}

// ownerOf is the name of the type that a method belongs to, "" when it has type
// parameters.
func ownerOf(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// goMethods compares the lines that may use methods: all of them, the first ten (or as
// many as there are uses) and those that are called likely.
func goMethods(l *lab, r *repository) ([]string, error) {
	server, err := startGopls(r.dir)
	if err != nil {
		return []string{"-", "-", "-", "-", "no gopls"}, nil //nolint:nilerr // it is not everywhere
	}
	defer server.stop()
	names, err := goNames(r, 60, true)
	if err != nil {
		return nil, err
	}
	want, hit, first, firstRight, likely, likelyRight := 0, 0, 0, 0, 0, 0
	for _, n := range names {
		truth, err := server.references(n)
		if err != nil {
			return nil, err
		}
		got, err := l.goLines(r, n)
		if err != nil {
			return nil, err
		}
		want += len(truth)
		for k, g := range got {
			right := oneIf(truth[g.at])
			hit += right
			if k < min(10, len(truth)) {
				first, firstRight = first+1, firstRight+right
			}
			if g.likely {
				likely, likelyRight = likely+1, likelyRight+right
			}
		}
	}
	return []string{strconv.Itoa(len(names)), percent(hit, want), percent(firstRight, first), percent(likelyRight, likely), percent(likelyRight, want)}, nil
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// goUsages compares the lines that use names.
func goUsages(l *lab, r *repository) ([]string, error) {
	server, err := startGopls(r.dir)
	if err != nil {
		return []string{"-", "-", "-", "no gopls"}, nil //nolint:nilerr // it is not everywhere
	}
	defer server.stop()
	names, err := goNames(r, 150, false)
	if err != nil {
		return nil, err
	}
	perfect, want, hit, said := 0, 0, 0, 0
	for _, n := range names {
		truth, err := server.references(n)
		if err != nil {
			return nil, err
		}
		got, err := l.goLines(r, n)
		if err != nil {
			return nil, err
		}
		common := 0
		said += len(got)
		for _, g := range got {
			if truth[g.at] {
				common++
			} else if l.verbose {
				fmt.Printf("  extra: %s of %s at %s\n", n.name, n.file, g.at)
			}
		}
		if l.verbose && common < len(truth) {
			fmt.Printf("  missed: %d lines of %s of %s\n", len(truth)-common, n.name, n.file)
		}
		want, hit = want+len(truth), hit+common
		if common == len(truth) && common == len(got) {
			perfect++
		}
	}
	return []string{strconv.Itoa(len(names)), strconv.Itoa(perfect), percent(hit, want), percent(hit, said)}, nil
}

// goLine is a line that pictx says uses a name, as file:line.
type goLine struct {
	at     string
	likely bool
}

// goLines are the lines that pictx says use a name, in its order.
func (l *lab) goLines(r *repository, n goName) ([]goLine, error) {
	var out []goLine
	text, err := l.kota(r, "usages", n.name, "--file", n.file, "--tests", "--json", "--max-bytes", "0")
	if err != nil || strings.TrimSpace(text) == "" {
		return out, err
	}
	var answer struct {
		List []struct {
			File, Label string
			Lines       []int
			Likely      bool
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, fmt.Errorf("read the usages of %s: %w", n.name, err)
	}
	for _, u := range answer.List {
		if strings.Contains(u.Label, "default build") {
			continue // gopls knows one build
		}
		for _, line := range u.Lines {
			if at := fmt.Sprintf("%s:%d", u.File, line); u.File != n.file || line != n.line {
				out = append(out, goLine{at, u.Likely})
			}
		}
	}
	return out, nil
}

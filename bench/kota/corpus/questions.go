//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// question is a question as people ask it, and the files of which any is a right answer.
type question struct {
	Ask   string
	Files []string
}

// tally counts how often a right file is among the first answers.
type tally struct {
	asked, five, fifteen int
	bytes                []int
}

// add counts an answer. place is the position of the first right file, from 1; 0 means none.
func (t *tally) add(place, size int) {
	t.asked++
	if place > 0 && place <= 5 {
		t.five++
	}
	if place > 0 && place <= 15 {
		t.fifteen++
	}
	t.bytes = append(t.bytes, size)
}

func (t *tally) cells() []string {
	if t.asked == 0 {
		return []string{"-", "-", "-"}
	}
	sizes := slices.Sorted(slices.Values(t.bytes))
	return []string{fmt.Sprintf("%d/%d", t.five, t.asked), fmt.Sprintf("%d/%d", t.fifteen, t.asked), fmt.Sprint(sizes[len(sizes)/2])}
}

// finder is a way to find an answer: it returns files, best first, and the size in bytes of what
// one reads.
type finder struct {
	name string
	find func(*lab, *repository, string) (files []string, size int, err error)
}

// questionTable asks every question in every way.
func questionTable(l *lab) table {
	ways := []finder{{"kota", byKota}, {"grep", byGrep}}
	if l.codegraph != "" {
		ways = append(ways, finder{"codegraph", byCodegraph})
	}
	t := table{name: "Questions: a right file in the first 5, the first 15; median bytes of the answer"}
	halves := map[string][]tally{}
	for _, w := range ways {
		t.columns = append(t.columns, w.name+" 5", w.name+" 15", "bytes")
	}
	t.row = func(l *lab, r *repository) ([]string, error) {
		if halves[r.Half] == nil {
			halves[r.Half] = make([]tally, len(ways))
		}
		var row []string
		for i, w := range ways {
			var own tally
			for _, q := range r.Questions {
				files, size, err := w.find(l, r, q.Ask)
				if err != nil {
					return nil, err
				}
				place := 1 + slices.IndexFunc(files, func(f string) bool { return slices.Contains(q.Files, f) })
				if l.verbose {
					fmt.Printf("  %-10s %3d  %s\n", w.name, place, q.Ask)
				}
				own.add(place, size)
				halves[r.Half][i].add(place, size)
			}
			row = append(row, own.cells()...)
		}
		return row, nil
	}
	t.sum = func() (rows [][]string) {
		for _, half := range []string{"develop", "report"} {
			row := []string{"all to " + half}
			for i := range halves[half] {
				row = append(row, halves[half][i].cells()...)
			}
			rows = append(rows, row)
		}
		return rows
	}
	return t
}

// byKota asks pictx.
func byKota(l *lab, r *repository, ask string) ([]string, int, error) {
	text, err := l.kota(r, "search", ask)
	if err != nil {
		return nil, 0, err
	}
	raw, err := l.kota(r, "search", ask, "--json", "--limit", "15", "--max-bytes", "0")
	if err != nil {
		return nil, 0, err
	}
	var answer struct{ List []struct{ File string } }
	if err := json.Unmarshal([]byte(raw), &answer); err != nil {
		return nil, 0, err
	}
	var files []string
	for _, h := range answer.List {
		if !slices.Contains(files, h.File) {
			files = append(files, h.File)
		}
	}
	return files, len(text), nil
}

// idle are the words of a question that nobody would search for.
var idle = regexp.MustCompile(`(?i)\b(where|is|are|the|a|an|how|do|does|what|which|when|of|in|on|to|by|from|for|its|it|that|and|with|be|so|there|because|get|into|after|before|each|back|some|too|up|one|other|several|until|another|until|happens|via)\b`)

// byGrep searches as an experienced user of git grep would. Files rank by how many words of the
// question they contain; two neighboring words count more, words in the path most, tests come
// last. The size is that of the first three lines of each file.
func byGrep(_ *lab, r *repository, ask string) ([]string, int, error) {
	words := strings.FieldsFunc(idle.ReplaceAllString(ask, " "), func(c rune) bool { return c == ' ' || c == ':' || c == '.' || c == ',' || c == '-' })
	var patterns []string
	for i, w := range words {
		patterns = append(patterns, stemmed(w))
		if i > 0 {
			patterns = append(patterns, regexp.QuoteMeta(words[i-1])+".?"+stemmed(w))
		}
	}
	score, size := map[string]float64{}, map[string]int{}
	for _, p := range patterns {
		out, _ := r.git("grep", "-i", "-n", "-E", "-e", p, "--", "*.ts", "*.tsx", "*.js", "*.mjs", "*.vue", "*.go") // 1: nothing is found
		seen := map[string]int{}
		for line := range strings.Lines(out) {
			file, _, _ := strings.Cut(line, ":")
			if seen[file]++; seen[file] <= 3 {
				size[file] += min(len(line), 200)
			}
		}
		pair := strings.Contains(p, ".?")
		for file, n := range seen {
			s := 1 + min(float64(n), 20)/100
			if pair {
				s *= 2
			}
			if in, _ := regexp.MatchString("(?i)"+p, file); in {
				s += 2
			}
			score[file] += s
		}
	}
	files := make([]string, 0, len(score))
	for f := range score {
		if looksLikeTest(f) {
			score[f] /= 2
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b string) int {
		if score[a] != score[b] {
			return map[bool]int{true: -1, false: 1}[score[a] > score[b]]
		}
		return strings.Compare(a, b)
	})
	files = files[:min(15, len(files))]
	read := 0
	for _, f := range files {
		read += size[f]
	}
	return files, read, nil
}

// stemmed returns a pattern for the forms of a word.
func stemmed(w string) string {
	for _, end := range []string{"ations", "ation", "ing", "ies", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 {
			return regexp.QuoteMeta(rest)
		}
	}
	return regexp.QuoteMeta(w)
}

func looksLikeTest(f string) bool {
	return regexp.MustCompile(`(^|/)(tests?|__tests__|spec|fixtures|examples?|docs)/|\.(test|spec)\.`).MatchString(f)
}

// byCodegraph asks "codegraph explore" and takes files in the order in which it names them.
func byCodegraph(l *lab, r *repository, ask string) ([]string, int, error) {
	if _, err := os.Stat(path.Join(r.dir, ".codegraph")); err != nil {
		cmd := exec.Command(l.codegraph, "init", ".")
		cmd.Dir = r.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, 0, fmt.Errorf("codegraph init: %w: %s", err, out)
		}
	}
	cmd := exec.Command(l.codegraph, "explore", ask)
	cmd.Dir = r.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("codegraph explore: %w", err)
	}
	var files []string
	for _, f := range regexp.MustCompile(`[\w@.()\[\]-]+(?:/[\w@.()\[\]-]+)+\.(?:[cm]?[jt]sx?|vue)`).FindAllString(string(out), -1) {
		if _, err := os.Stat(path.Join(r.dir, f)); err == nil && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, len(out), nil
}

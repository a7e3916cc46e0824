package workspace

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/repo"
)

// Undecided reports whether the project has no log yet: whatever is written from now on
// was begun here.
func (pl Place) Undecided() bool {
	_, err := os.Lstat(jsonl.DecisionsPath(pl.Root))
	return errors.Is(err, fs.ErrNotExist)
}

// begunFile is the file that records that this user began the log of this project: the
// project's id, and below it the log's last lines, each as its checksum.
func (pl Place) begunFile() string { return pl.cacheFile("decisions-own") }

// recordedLines is how many lines of a log are recorded at most, the last ones.
const recordedLines = 256

// begin records that the log of this project is the user's own, as it is now. When that
// cannot be recorded, the user is asked to trust the project like any other.
func (pl Place) begin() {
	project, lines := checksumsOfLog(pl.Root)
	if project == "" || os.MkdirAll(filepath.Dir(pl.begunFile()), 0o700) != nil {
		return
	}
	record := append([]string{project}, lines[max(0, len(lines)-recordedLines):]...)
	_ = os.WriteFile(pl.begunFile(), []byte(strings.Join(record, "\n")+"\n"), 0o600)
}

// Began reports whether this user began the log of this project, which then needs no
// question about trust. The log must be a continuation of the one that was recorded,
// or an earlier state of it: another log may lie here by now, whose project has the
// same id, as the id is no secret.
func (pl Place) Began() bool {
	b, err := os.ReadFile(pl.begunFile())
	if err != nil {
		return false
	}
	record := strings.Fields(string(b))
	project, lines := checksumsOfLog(pl.Root)
	if project == "" || len(record) < 2 || record[0] != project {
		return false
	}
	record = record[1:]
	return subset(record, lines) || len(record) < recordedLines && subset(lines, record)
}

// subset reports whether every element of some is among all.
func subset(some, all []string) bool {
	set := make(map[string]bool, len(all))
	for _, e := range all {
		set[e] = true
	}
	return !slices.ContainsFunc(some, func(e string) bool { return !set[e] })
}

// checksumsOfLog is the project of the log below root, "" when it has none, and the checksum of each
// of its lines. Whoever wants a line of the same checksum has the line.
func checksumsOfLog(root string) (project string, lines []string) {
	const limit = 256 << 20
	data, err := repo.Read(root, jsonl.DecisionsPath(root), limit)
	if err != nil {
		return "", nil
	}
	const enough = 64 << 10 // to know the project
	project = decision.Read(data[:min(len(data), enough):min(len(data), enough)]).Project()
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			h := fnv.New64a()
			_, _ = h.Write(line)
			lines = append(lines, strconv.FormatUint(h.Sum64(), 16))
		}
	}
	return project, lines
}

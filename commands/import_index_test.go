package commands_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

// An import that has no time left for the indexes of parts of words says so, doctor and
// history stats agree with it, and the next import completes them.
func TestImportDoctorAndStatsAgreeOnWhatIsIndexed(t *testing.T) {
	if !sqlite.Library().FullText {
		t.Skip("not run: this build has no full-text search")
	}
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	if err := os.Mkdir(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	h := corpus.History{CWD: dir, Messages: 20, Sessions: 1, Size: 100, Seed: 1}
	if _, err := h.WriteFiles(sessions); err != nil {
		t.Fatal(err)
	}
	clock, step := time.Now(), time.Hour
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := commands.Main(t.Context(), &cli.Env{
			Process: workspace.Process{Dir: dir, Environ: []string{"HOME=" + dir, "PI_CODING_AGENT_DIR=" + filepath.Join(dir, "agent")}, Now: func() time.Time { clock = clock.Add(step); return clock }},
			Args:    args,
			In:      strings.NewReader(""),
			Out:     &out,
			Err:     &errs,
		})
		if code != 0 {
			t.Fatalf("%v: exit %d\n%s", args, code, errs.String())
		}
		return out.String(), errs.String()
	}
	says := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	_, stderr := run("import", sessions)
	says(stderr, "pictx: 21 entries not indexed by parts of words yet: searching reads them one by one\nhint: pictx import, or leave them to pi")
	stats, _ := run("history", "stats")
	says(stats, "21 entries not indexed by parts of words yet")
	report, _ := run("doctor")
	says(report, "warning  index      21 entries not indexed by parts of words yet")
	says(report, "hint: pictx doctor --fix")
	step = time.Millisecond
	if _, stderr := run("import", sessions); stderr != "" {
		t.Errorf("after another import: %s", stderr)
	}
	if stats, _ := run("history", "stats"); strings.Contains(stats, "not indexed") {
		t.Errorf("after another import: %s", stats)
	}
	report, _ = run("doctor")
	says(report, "ok       index      complete")

	stores, err := filepath.Glob(filepath.Join(dir, "agent", "pictx", "*.db"))
	if err != nil || len(stores) != 1 {
		t.Fatal(stores, err)
	}
	db := storetest.DB(t, stores[0])
	segments := func() int { return storetest.Count(t, db, `SELECT count(DISTINCT segid) FROM parts_fts_idx`) }
	statements := []string{`INSERT INTO parts_fts (parts_fts, rank) VALUES ('automerge', 0)`}
	for i := range 12 { // as an import leaves them that had no time for more
		statements = append(statements, fmt.Sprintf(`INSERT INTO parts_fts (rowid, parts) VALUES (%d, 'otter')`, i+1))
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	before := segments()
	step = 20 * time.Second
	_, stderr = run("import", sessions)
	says(stderr, "pictx: the segments of the indexes are not merged yet: searches take longer until they are\nhint: pictx doctor --fix, or leave them to pi")
	if segments() != before {
		t.Errorf("an import that has nothing new merged %d segments to %d", before, segments())
	}
	step = time.Millisecond
	if _, stderr := run("import", sessions); stderr != "" || segments() >= before {
		t.Errorf("with time left: %d segments are %d, %s", before, segments(), stderr)
	}
}

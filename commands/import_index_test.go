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

// An import that has no time left for the indexes of parts of words, after hooks left much to
// index, says so, doctor and history stats agree with it, and the next import completes them.
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
	whole := func() {
		t.Helper()
		if stats, _ := run("history", "stats"); strings.Contains(stats, "not indexed") {
			t.Errorf("after an import with time left: %s", stats)
		}
		report, _ := run("doctor")
		says(report, "ok       index      complete")
	}
	if _, stderr := run("import", sessions); strings.Contains(stderr, "not indexed") {
		t.Errorf("an import of a new store leaves something to index: %s", stderr)
	}
	step = time.Millisecond
	whole()
	stores, err := filepath.Glob(filepath.Join(dir, "agent", "pictx", "*.db"))
	if err != nil || len(stores) != 1 {
		t.Fatal(stores, err)
	}
	st := storetest.Open(t, stores[0], sqlite.Write)
	long := filepath.Join(dir, "long.jsonl")
	storetest.WriteSession(t, long, 3000, 60)
	storetest.Ingest(t, st, long)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	const more = `{"type":"message","id":"ffffffff","message":{"role":"user","content":"one more"}}` + "\n"
	session, err := filepath.Glob(filepath.Join(sessions, "*.jsonl"))
	if err != nil || len(session) != 1 {
		t.Fatal(session, err)
	}
	text, err := os.ReadFile(session[0])
	if err == nil {
		err = os.WriteFile(session[0], append(text, more...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	step = time.Hour
	_, stderr := run("import", sessions)
	says(stderr, "pictx: 3,002 entries not indexed by parts of words yet: searching reads them one by one\nhint: pictx import, or leave them to pi")
	stats, _ := run("history", "stats")
	says(stats, "3,002 entries not indexed by parts of words yet")
	report, _ := run("doctor")
	says(report, "warning  index      3,002 entries not indexed by parts of words yet")
	says(report, "hint: pictx doctor --fix")
	step = time.Millisecond
	if _, stderr := run("import", sessions); stderr != "" {
		t.Errorf("after another import: %s", stderr)
	}
	whole()

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

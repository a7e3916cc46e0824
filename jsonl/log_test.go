package jsonl_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

// logWriter, set in the environment, makes this test binary append lines.
const logWriter = "PICTX_TEST_LOG_WRITER"

func TestMain(m *testing.M) {
	if job := os.Getenv(logWriter); job != "" {
		appendJob(job)
		return
	}
	os.Exit(m.Run())
}

// appendJob appends lines as "writer lines max dir" says.
func appendJob(job string) {
	parts := strings.SplitN(job, " ", 4)
	lines, _ := strconv.Atoi(parts[1])
	limit, _ := strconv.ParseInt(parts[2], 10, 64)
	for i := range lines {
		e := entry(fmt.Sprintf("%s-%d", parts[0], i))
		if err := (jsonl.Log{Dir: parts[3], Max: limit}).Append(e); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func entry(session string) jsonl.LogEntry {
	return jsonl.LogEntry{
		Time: time.Date(2026, 11, 20, 10, 0, 0, 120e6, time.UTC), Event: "context", Session: session,
		Project: "0123456789abcdef", Transport: "serve", Ms: 4.25, Bytes: 812, Result: jsonl.LogOK,
		Decision: "pruned 12 results, 45.2K tokens",
	}
}

// readLog reads what is there now.
func readLog(t *testing.T, r *jsonl.LogReader) []jsonl.LogEntry {
	t.Helper()
	var all []jsonl.LogEntry
	for { // a call while the log is rotated returns only what is in the old file
		more := must.Get(r.Read())(t)
		if all = append(all, more...); len(more) == 0 {
			return all
		}
	}
}

func readDir(t *testing.T, dir string) []jsonl.LogEntry {
	t.Helper()
	return readLog(t, &jsonl.LogReader{Log: jsonl.Log{Dir: dir}})
}

func sessions(all []jsonl.LogEntry) string {
	var out []string
	for _, e := range all {
		out = append(out, e.Session)
	}
	return strings.Join(out, " ")
}

func TestTheLogReturnsWhatWasAppended(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pictx", "log")
	log := jsonl.Log{Dir: dir}
	if got := readDir(t, dir); len(got) > 0 {
		t.Errorf("a log that is not there has %d lines", len(got))
	}
	second := entry("b")
	second.Result, second.Decision, second.Error = jsonl.LogFailed, "", "no <store> & no\nway"
	for _, e := range []jsonl.LogEntry{entry("a"), second} {
		must.Do(t, log.Append(e))
	}
	second.Error = "no <store> & no way"
	must.Match(t, readDir(t, dir), []jsonl.LogEntry{entry("a"), second}, "got")
	text := must.Get(os.ReadFile(filepath.Join(dir, "hooks.jsonl")))(t)
	want := `{"time":"2026-11-20T10:00:00.120Z","event":"context","session":"a","project":"0123456789abcdef",` +
		`"transport":"serve","ms":4.25,"bytes":812,"result":"ok","decision":"pruned 12 results, 45.2K tokens"}`
	if got, _, _ := strings.Cut(string(text), "\n"); got != want {
		t.Errorf("line\n%s, want\n%s", got, want)
	}
	if !strings.Contains(string(text), `"error":"no <store> & no way"`) {
		t.Errorf("characters were escaped:\n%s", text)
	}
}

// Holds history 73.
func TestTheLogIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pictx", "log")
	must.Do(t, (jsonl.Log{Dir: dir}).Append(entry("a")))
	for path, want := range map[string]os.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, filepath.Join(dir, "hooks.jsonl"): 0o600} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %o", path, st.Mode(), err, want)
		}
	}
}

func TestTheLogIsTwoFilesOfItsSizeAtMost(t *testing.T) {
	const limit = 2000
	dir := t.TempDir()
	for i := range 100 {
		must.Do(t, (jsonl.Log{Dir: dir, Max: limit}).Append(entry(strconv.Itoa(i))))
		for _, name := range []string{"hooks.jsonl", "hooks.jsonl.1"} {
			if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Size() > limit {
				t.Fatalf("%s has %d bytes after line %d, at most %d", name, st.Size(), i, limit)
			}
		}
	}
	got := readDir(t, dir)
	if len(got) < 10 || len(got) > 20 {
		t.Fatalf("%d lines are kept, want those of one to two files", len(got))
	}
	for i, e := range got {
		if want := strconv.Itoa(100 - len(got) + i); e.Session != want {
			t.Fatalf("line %d is %s, want %s: %s", i, e.Session, want, sessions(got))
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 3 { // with the lock
		t.Errorf("%d files in the log's folder: %v", len(names), names)
	}
}

// TestProcessesThatAppendAtOnceLoseNoLine has them rotate once while all write.
func TestProcessesThatAppendAtOnceLoseNoLine(t *testing.T) {
	const writers, lines = 4, 800
	dir := t.TempDir()
	one := must.Get(entry("0-000").MarshalJSON())(t)
	limit := len(one) * writers * lines * 2 / 3
	var running []*exec.Cmd
	for w := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %d %s", logWriter, w, lines, limit, dir))
		cmd.Stderr = os.Stderr
		must.Do(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "hooks.jsonl.1")); err != nil {
		t.Errorf("it was not rotated: %v", err)
	}
	seen := map[string]int{}
	for _, e := range readDir(t, dir) {
		seen[e.Session]++
	}
	for w := range writers {
		for i := range lines {
			if n := seen[fmt.Sprintf("%d-%d", w, i)]; n != 1 {
				t.Fatalf("line %d of writer %d is there %d times", i, w, n)
			}
		}
	}
	for _, name := range []string{"hooks.jsonl", "hooks.jsonl.1"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Count(string(text), "\n") != strings.Count(string(text), `{"time":`) {
			t.Errorf("%s has torn lines, %v", name, err)
		}
	}
}

func TestAReaderGoesOnWhereTheLogGrows(t *testing.T) {
	dir := t.TempDir()
	log := jsonl.Log{Dir: dir, Max: 1000}
	r := &jsonl.LogReader{Log: log}
	var got, want []string
	for i := range 60 { // it is rotated every few lines
		want = append(want, strconv.Itoa(i))
		must.Do(t, log.Append(entry(want[i])))
		if i%2 == 1 {
			got = append(got, sessions(readLog(t, r)))
		}
	}
	must.Match(t, strings.Join(got, " "), strings.Join(want, " "), "got")
}

func TestAReaderStartsAgainWhenTheLogWasEmptied(t *testing.T) {
	dir := t.TempDir()
	log := jsonl.Log{Dir: dir}
	for _, s := range []string{"a", "b"} {
		must.Do(t, log.Append(entry(s)))
	}
	r := &jsonl.LogReader{Log: log}
	before := sessions(readLog(t, r))
	must.Do(t, os.Truncate(filepath.Join(dir, "hooks.jsonl"), 0))
	must.Do(t, log.Append(entry("c")))
	if after := sessions(readLog(t, r)); before != "a b" || after != "c" {
		t.Errorf("read %q, then %q", before, after)
	}
}

func TestALineThatIsNoneCostsOnlyItself(t *testing.T) {
	line := must.Get(entry("good").MarshalJSON())(t)
	good := string(line)
	for name, c := range map[string]struct {
		text, want string
	}{
		"blank lines":         {"\n\n" + good + "\n\n", "good"},
		"text":                {"hello\n" + good + "\n", "good"},
		"another object":      {`{"a":1}` + "\n" + good + "\n", "good"},
		"no object":           {"[1]\nnull\n7\n" + good + "\n", "good"},
		"wrong types":         {`{"time":7,"event":[]}` + "\n" + good + "\n", "good"},
		"nul bytes":           {strings.Repeat("\x00", 4096) + "\n" + good + "\n", "good"},
		"very long":           {strings.Repeat("x", 1<<20) + "\n" + good + "\n", "good"},
		"torn, then whole":    {good[:50] + good + "\n" + good + "\n", "good good"},
		"torn early":          {`{"t` + good + "\n", "good"},
		"torn at the end":     {good + "\n" + good[:60], "good"},
		"two on a line":       {good + good + "\n", "good"},
		"carriage returns":    {good + "\r\n" + good + "\r\n", "good good"},
		"unknown members":     {strings.Replace(good, `"ms"`, `"new":{"a":[]},"ms"`, 1) + "\n", "good"},
		"no line end as yet":  {good, ""},
		"long, without a end": {good + "\n" + strings.Repeat("y", 1<<20), "good"},
	} {
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "hooks.jsonl"), []byte(c.text), 0o600))
		must.Equal(t, sessions(readDir(t, dir)), c.want, "%s: read", name)
	}
}

func TestALineOfAnySizeIsCut(t *testing.T) {
	dir := t.TempDir()
	e := entry(strings.Repeat("ä", 5000))
	e.Decision, e.Error = strings.Repeat("x", 1<<20), strings.Repeat("\xff", 1<<20)
	must.Do(t, (jsonl.Log{Dir: dir}).Append(e))
	got := readDir(t, dir)
	if len(got) != 1 || len(got[0].Session) > 510 || len(got[0].Decision) > 510 || len(got[0].Error) > 2000 {
		t.Errorf("%d lines, want a short one", len(got))
	}
	if st, err := os.Stat(filepath.Join(dir, "hooks.jsonl")); err != nil || st.Size() > 8<<10 {
		t.Errorf("the line has %d bytes, %v", st.Size(), err)
	}
}

func FuzzLogReader(f *testing.F) {
	line := must.Get(entry("good").MarshalJSON())(f)
	f.Add([]byte(""), []byte(string(line)+"\n"))
	f.Add(line, line[:40])
	f.Add([]byte("\x00\n{\"time\":\"\n"), []byte(`{"time":"`))
	f.Fuzz(func(t *testing.T, old, current []byte) {
		dir := t.TempDir()
		for name, text := range map[string][]byte{"hooks.jsonl.1": old, "hooks.jsonl": current} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		}
		// Whatever is there, the line appended to it is read.
		must.Do(t, (jsonl.Log{Dir: dir}).Append(entry("the last")))
		got := readDir(t, dir)
		tail := current[strings.LastIndexByte(string(current), '\n')+1:]
		if len(tail) < 32<<10 && (len(got) == 0 || got[len(got)-1].Session != "the last") {
			t.Errorf("of %q and %q were read %d lines, without the last", old, current, len(got))
		}
		for _, e := range got {
			if e.Event == "" || e.Time.IsZero() {
				t.Errorf("%+v is no entry", e)
			}
		}
	})
}

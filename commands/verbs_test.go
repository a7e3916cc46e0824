package commands_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/internal/sqlhook"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

type verb = func(ts *testscript.TestScript, neg bool, args []string)

// verbs are what scripts can do besides testscript's own commands.
func verbs() map[string]verb {
	return map[string]verb{
		"pictx":          runPictx,
		"exits":          exits,
		"jsonfields":     jsonFields,
		"sameas":         sameAs,
		"capture":        capture,
		"count":          countMatches,
		"entryline":      entryLine,
		"entrytext":      entryText,
		"lines":          copyLines,
		"rehome":         rehome,
		"text":           writeText,
		"perm":           perm,
		"atmost":         atMost,
		"sql":            execSQL,
		"changedentries": changedEntries,
		"editedentries":  editedEntries,
		"keepblob":       keepBlob,
		"nameblob":       nameBlob,
		"breakblob":      breakBlob,
		"putobjects":     putObjects,
		"putfile":        putFile,
		"examples":       runExamples,
	}
}

// want stops a script whose verb has the wrong number of arguments.
func want(ts *testscript.TestScript, neg, ok bool, usage string) {
	if neg || !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// exits CODE [exec] command args...: the command ends with this code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 2, "exits CODE [exec] command args...")
	code := 0
	switch args[1] {
	case "pictx":
		code = pictx(ts, args[2:])
	case "exec":
		code = endedWith(ts, ts.Exec(args[2], args[3:]...))
	default:
		code = endedWith(ts, ts.Exec(args[1], args[2:]...))
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code is %d, want %s", code, args[0])
	}
}

// endedWith is the exit code of a command that was started.
func endedWith(ts *testscript.TestScript, err error) int {
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		return ee.ExitCode()
	}
	ts.Check(err)
	return 0
}

// jsonfields FILE[:PATH] field...: every line of the file is a JSON object, or
// holds one at PATH (a.0.b), with exactly these fields in this order. A field
// that ends in ? may be missing. The schema_version that every document of --json begins
// with is not named.
func jsonFields(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 2, "jsonfields FILE[:PATH] field...")
	file, path, _ := strings.Cut(args[0], ":")
	text := strings.TrimSpace(ts.ReadFile(file))
	if text == "" {
		ts.Fatalf("%s is empty", file)
	}
	for _, line := range strings.Split(text, "\n") {
		value, err := jsonAt([]byte(line), path)
		ts.Check(err)
		got, err := objectKeys(value)
		ts.Check(err)
		if path == "" && got[0] == "schema_version" {
			got = got[1:]
		}
		if diff := fieldsDiff(got, args[1:]); diff != "" {
			ts.Fatalf("fields of %s (-want +got):\n%s", args[0], diff)
		}
	}
}

// fieldsDiff compares keys with what they should be.
func fieldsDiff(got, want []string) string {
	has := make(map[string]bool)
	for _, k := range got {
		has[k] = true
	}
	var fields []string
	for _, w := range want {
		name, optional := strings.CutSuffix(w, "?")
		if !optional || has[name] {
			fields = append(fields, name)
		}
	}
	return cmp.Diff(fields, got)
}

// jsonAt returns the value at a path such as checks.0.name.
func jsonAt(data []byte, path string) (json.RawMessage, error) {
	v := json.RawMessage(data)
	if path == "" {
		return v, nil
	}
	for _, step := range strings.Split(path, ".") {
		var list []json.RawMessage
		var object map[string]json.RawMessage
		n, err := strconv.Atoi(step)
		switch {
		case err == nil && json.Unmarshal(v, &list) == nil && n < len(list):
			v = list[n]
		case json.Unmarshal(v, &object) == nil && object[step] != nil:
			v = object[step]
		default:
			return nil, fmt.Errorf("there is no %s in %.200s", step, v)
		}
	}
	return v, nil
}

// objectKeys returns the keys of a JSON object as they stand.
func objectKeys(data []byte) ([]string, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object: %.200s", data)
	}
	var keys []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		keys = append(keys, t.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// atmost BYTES FILE: the file is not longer, and not empty.
func atMost(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "atmost BYTES FILE")
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	if n := len(ts.ReadFile(args[1])); n == 0 || n > most {
		ts.Fatalf("%s has %d bytes, want 1 to %d", args[1], n, most)
	}
}

// sameas A B: the files hold the same bytes. ! sameas: they do not.
func sameAs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: sameas A B")
	}
	a, b := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	if (a == b) == neg {
		at := 0
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		ts.Fatalf("%s has %d bytes and %s %d; they differ at %d", args[0], len(a), args[1], len(b), at)
	}
}

// capture VAR REGEX FILE: sets a variable to the first group of the first match.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "capture VAR REGEX FILE")
	m := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile(args[2]))
	if len(m) < 2 {
		ts.Fatalf("%s does not match %s", args[2], args[1])
	}
	ts.Setenv(args[0], m[1])
}

// count N REGEX FILE: the expression matches exactly N times.
func countMatches(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "count N REGEX FILE")
	n := len(regexp.MustCompile("(?m)"+args[1]).FindAllStringIndex(ts.ReadFile(args[2]), -1))
	if strconv.Itoa(n) != args[0] {
		ts.Fatalf("%s matches %d times, want %s", args[1], n, args[0])
	}
}

// findLine returns the line of a session file that has an id.
func findLine(ts *testscript.TestScript, file, id string) string {
	for _, line := range strings.Split(ts.ReadFile(file), "\n") {
		var e struct{ ID string }
		if json.Unmarshal([]byte(line), &e) == nil && e.ID == id {
			return line
		}
	}
	ts.Fatalf("%s has no entry %s", file, id)
	return ""
}

// entryline SESSION ID OUT: writes the line of an entry.
func entryLine(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "entryline SESSION ID OUT")
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(findLine(ts, args[0], args[1])), 0o600))
}

// entrytext SESSION ID OUT: writes the text of a message, read by the standard
// library and not by what is tested.
func entryText(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "entrytext SESSION ID OUT")
	var e struct {
		Message struct {
			Content []struct{ Text string }
		}
	}
	ts.Check(json.Unmarshal([]byte(findLine(ts, args[0], args[1])), &e))
	var text string
	for _, b := range e.Message.Content {
		text += b.Text
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o600))
}

// lines FILE FROM TO OUT [half]: appends lines of a file to another, from 1;
// with half the last of them is cut in its middle.
func copyLines(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 4 || len(args) == 5, "lines FILE FROM TO OUT [half|rest]")
	all := strings.SplitAfter(ts.ReadFile(args[0]), "\n")
	from, err := strconv.Atoi(args[1])
	ts.Check(err)
	to, err := strconv.Atoi(args[2])
	ts.Check(err)
	picked := all[from-1 : min(to, len(all))]
	text := strings.Join(picked, "")
	if len(args) == 5 {
		last := picked[len(picked)-1]
		cut := len(text) - len(last) + len(last)/2
		if args[4] == "rest" {
			text = text[cut:]
		} else {
			text = text[:cut]
		}
	}
	f, err := os.OpenFile(ts.MkAbs(args[3]), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	_, err = f.WriteString(text)
	ts.Check(errors.Join(err, f.Close()))
}

// rehome SESSION CWD OUT: copies a session as if it had been recorded in CWD.
func rehome(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "rehome SESSION CWD OUT")
	out := ts.MkAbs(args[2])
	ts.Check(os.MkdirAll(filepath.Dir(out), 0o700))
	cwd, _ := json.Marshal(args[1])
	first, rest, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	first = regexp.MustCompile(`"cwd":"[^"]*"`).ReplaceAllLiteralString(first, `"cwd":`+string(cwd))
	ts.Check(os.WriteFile(out, []byte(first+"\n"+rest), 0o600))
}

// text FILE STRING: writes a quoted Go string, for bytes a script cannot hold.
func writeText(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "text FILE STRING")
	s, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(s), 0o600))
}

// perm MODE FILE...: the files have these permissions.
func perm(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 2, "perm MODE FILE...")
	for _, f := range args[1:] {
		st, err := os.Stat(ts.MkAbs(f))
		ts.Check(err)
		if got := fmt.Sprintf("%04o", st.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", f, got, args[0])
		}
	}
}

// sql DATABASE STATEMENT: changes a store as no version of pictx would.
func execSQL(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "sql DATABASE STATEMENT")
	db, err := sql.Open(sqlhook.Driver, ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(errors.Join(err, db.Close()))
}

// changedentries A B OUT: writes the ids of the lines that two session files do
// not share, sorted. What differs in such a line must be its content only.
func changedEntries(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "changedentries A B OUT")
	a, b := strings.Split(ts.ReadFile(args[0]), "\n"), strings.Split(ts.ReadFile(args[1]), "\n")
	if len(a) != len(b) {
		ts.Fatalf("%s has %d lines and %s %d", args[0], len(a), args[1], len(b))
	}
	var ids []string
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		id, before := withoutContent(ts, a[i])
		if _, after := withoutContent(ts, b[i]); before != after {
			ts.Fatalf("line %d differs in more than its content:\n%s", i+1, cmp.Diff(before, after))
		}
		ids = append(ids, id+"\n")
	}
	sort.Strings(ids)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Join(ids, "")), 0o600))
}

// withoutContent returns the entry id and all of a line but the message's content.
func withoutContent(ts *testscript.TestScript, line string) (id, rest string) {
	var e struct {
		ID, TargetID         string
		Message, Replacement struct{ Content json.RawMessage }
	}
	ts.Check(json.Unmarshal([]byte(line), &e))
	if e.TargetID != "" { // a context edit: it is the content of another entry
		return e.TargetID, strings.Replace(line, string(e.Replacement.Content), "CONTENT", 1)
	}
	return e.ID, strings.Replace(line, string(e.Message.Content), "CONTENT", 1)
}

// editedentries PLAN OUT: writes the entry ids of a plan's edits, sorted.
func editedEntries(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "editedentries PLAN OUT")
	var plan struct {
		Edits []struct {
			ID string `json:"entry_id"`
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &plan))
	var ids []string
	for _, e := range plan.Edits {
		ids = append(ids, e.ID+"\n")
	}
	sort.Strings(ids)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(ids, "")), 0o600))
}

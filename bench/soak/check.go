//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// findings are the faults found.
type findings []string

func (f *findings) say(form string, args ...any) { *f = append(*f, fmt.Sprintf(form, args...)) }

// storePath returns the path of the project's store.
func (s *soak) storePath() string {
	p, err := workspace.FindProject(s.project(), s.agentDir())
	if err != nil {
		return ""
	}
	return p.StorePath()
}

// atShutdown counts the entries that are not stored when the agent has ended. Missing
// entries are a fault if the process that had to store them ended by itself and an import
// does not store them either.
func (a *agent) atShutdown(clean bool) {
	missing, err := a.missing()
	if err != nil {
		return // a killed import may not have created the store yet
	}
	a.figures.count("shutdowns looked at")
	a.figures.add("entries missing after a shutdown", missing)
	switch {
	case missing > 0 && clean:
		r := a.pictxOnce("import", a.own.file)
		left, err := a.missing()
		a.figures.add("entries that an import brought", missing-left)
		if left == 0 && err == nil && r.code == 0 {
			return
		}
		a.truth.change(func() {
			a.truth.faults = append(a.truth.faults, fmt.Sprintf("%d entries of session %s were not stored at its shutdown, %d after an import: exit %d, %s",
				missing, a.own.id, left, r.code, firstLine(r.said)))
		})
	case missing > 0:
		a.figures.count("sessions incomplete after a shutdown that took too long")
	}
}

// missing returns the number of entries of the session that are not stored.
func (a *agent) missing() (int, error) {
	db, err := sqlite.Open(context.Background(), a.storePath(), sqlite.Read, time.Now)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var have []string
	err = db.Select(&have, `SELECT entry_id FROM messages m JOIN conversations c ON c.id = m.conversation WHERE c.session_id = ?`, a.own.id)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, l := range a.own.lines {
		if !slices.Contains(have, l.id) {
			n++
		}
	}
	return n, nil
}

// staleTime is the age at which blobs gc considers a file abandoned by a killed process.
const staleTime = 61 * time.Second

// check compares the final state with the truth.
func (s *soak) check(ctx context.Context) findings {
	f := findings(s.truth.faults)
	s.readLog()
	pause(ctx, staleTime)
	for _, args := range [][]string{{"import"}, {"store", "migrate"}, {"history", "vacuum"}, {"blobs", "gc"}} {
		if r := s.pictxOnce(args...); r.code != 0 {
			f.say("pictx %s: exit %d: %s", strings.Join(args, " "), r.code, firstLine(r.said+r.out))
		}
	}
	s.compactAgain()
	for _, args := range [][]string{{"decision", "doctor"}, {"history", "doctor"}, {"blobs", "verify"}} {
		if r := s.pictxOnce(args...); r.code != 0 {
			f.say("pictx %s: exit %d: %s", strings.Join(args, " "), r.code, strings.Join(strings.Fields(r.said+r.out), " "))
		}
	}
	s.checkDoctor(&f)
	s.checkDecisions(&f)
	s.checkObjects(&f)
	s.checkBlobs(&f)
	if err := s.checkStore(ctx, &f); err != nil {
		f.say("%v", err)
	}
	s.checkFiles(&f)
	s.checkProcesses(&f)
	return f
}

// readLog counts the results in the hooks' log.
func (s *soak) readLog() {
	for _, name := range []string{"hooks.jsonl.1", "hooks.jsonl"} {
		data, err := os.ReadFile(filepath.Join(s.agentDir(), "pictx", "log", name))
		if err != nil {
			continue
		}
		for line := range bytes.Lines(data) {
			var e struct{ Event, Decision, Error, Result string }
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			if e.Event == "turn_end" && e.Decision != "afterwards" {
				s.figures.count("turns whose entries were stored by a hook")
			}
			if e.Event == "turn_end" && strings.Contains(e.Error, "using it") {
				s.figures.count("hooks that met a locked store")
				if e.Result == "cancelled" {
					s.figures.count("… because their process ended")
				}
			}
			if e.Error != "" {
				s.figures.count("log: " + e.Event + ": " + regexp.MustCompile(`[0-9a-f]{8,}|/\S+`).ReplaceAllString(e.Error, "…"))
			}
		}
	}
}

// compactAgain follows doctor's advice for summaries whose sources were erased.
func (s *soak) compactAgain() {
	advised := regexp.MustCompile(`hint: pictx compact (soak\S+)`)
	r := s.pictxOnce("doctor")
	for _, m := range advised.FindAllStringSubmatch(r.said+r.out, -1) {
		s.pictxOnce("compact", m[1], "--model", "none", "--keep", "1")
		s.figures.count("compacted again after erasing")
	}
}

// checkDoctor looks for errors reported by doctor.
func (s *soak) checkDoctor(f *findings) {
	var v struct {
		Checks []struct{ Name, Result, Message string }
	}
	r := s.pictxOnce("doctor", "--json")
	if err := json.Unmarshal([]byte(r.out), &v); err != nil {
		f.say("doctor: exit %d: %s", r.code, firstLine(r.said))
	}
	for _, c := range v.Checks {
		if c.Result == "error" {
			f.say("doctor: %s: %s", c.Name, c.Message)
		}
	}
}

func (s *soak) checkDecisions(f *findings) {
	have := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(s.pictxOnce("decision", "list", "--all", "--json").out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var d struct{ Text, Status string }
		if json.Unmarshal(lines.Bytes(), &d) == nil {
			have[d.Text] = d.Status
		}
	}
	for text, d := range s.truth.decisions {
		switch status, ok := have[text]; {
		case !ok:
			f.say("decision %s is lost", d.id)
		case d.status != "" && status != d.status:
			f.say("decision %s is %s, it was %s", d.id, status, d.status)
		}
	}
	s.figures.add("decisions compared", len(s.truth.decisions))
}

func (s *soak) checkObjects(f *findings) {
	for _, v := range s.truth.order {
		want := s.truth.objects[v.id]
		if v.gone || want == 0 {
			continue
		}
		have := s.calls(v.id)
		if len(have) < want {
			f.say("session %s has %d calls as objects, it had %d", v.id, len(have), want)
		}
		for _, o := range have {
			if state := s.truth.states[[2]string{v.id, o.ID}]; state != "" && state != o.State {
				f.say("object %s is %s in session %s, it was made %s", o.ID, o.State, v.id, state)
			}
		}
		s.figures.add("objects compared", len(have))
	}
}

func (s *soak) checkBlobs(f *findings) {
	for id, want := range s.truth.blobs {
		r := s.pictxOnce("expand", id)
		switch {
		case want == "" && r.code == 0:
			f.say("blob %s is there, it was purged", id)
		case want != "" && r.out != want:
			f.say("blob %s is not what it was: exit %d, %d of %d bytes", id, r.code, len(r.out), len(want))
		}
	}
	s.figures.add("blobs compared", len(s.truth.blobs))
}

// row is an entry with its text.
type row struct {
	Session string `db:"session_id"`
	Entry   string `db:"entry_id"`
	Content int64
}

// checkStore compares every entry, and searches every text for erased content.
func (s *soak) checkStore(ctx context.Context, f *findings) error {
	st, err := store.Open(ctx, s.storePath(), sqlite.Read, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	db, err := sqlite.Open(ctx, s.storePath(), sqlite.Read, time.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	var ids []int64
	if err := db.Select(&ids, `SELECT id FROM content`); err != nil {
		return err
	}
	lines := make(map[int64]string, len(ids))
	for _, id := range ids {
		raw, err := db.Text(ctx, db, id)
		if err != nil {
			f.say("text %d: %v", id, err)
		}
		lines[id] = string(raw)
		for _, gone := range s.erased(raw) {
			f.say("%s is in text %d", gone, id)
		}
	}
	var rows []row
	if err := db.Select(&rows, `SELECT c.session_id, m.entry_id, m.content FROM messages m JOIN conversations c ON c.id = m.conversation WHERE m.type <> 'session'`); err != nil {
		return err
	}
	s.compare(rows, lines, f)
	return nil
}

// compare looks up every line of every session.
func (s *soak) compare(rows []row, lines map[int64]string, f *findings) {
	type key struct{ session, entry, text string }
	have := map[key]bool{}
	for _, r := range rows {
		k := key{r.Session, r.Entry, lines[r.Content]}
		if have[k] {
			f.say("entry %s of session %s is there twice", r.Entry, r.Session)
		}
		have[k] = true
	}
	for _, v := range s.truth.order {
		if v.gone {
			continue
		}
		for _, l := range append(append([]line(nil), v.lines...), v.old...) {
			want, there := s.truth.want(l)
			s.figures.count("entries compared")
			if there && !have[key{v.id, l.id, want}] {
				s.figures.count("entries lost")
				f.say("entry %s of session %s is lost (%s)", l.id, v.id, l.token)
			}
		}
	}
}

// erasable matches everything that may have been erased.
var erasable = regexp.MustCompile(`SECRETq\d{7}|tok\d{7}`)

// erased returns the erased secrets and tokens that a text still contains.
func (s *soak) erased(text []byte) []string {
	var out []string
	for _, m := range erasable.FindAll(text, -1) {
		if w := string(m); s.truth.redacted[w] || s.truth.purged[w] {
			out = append(out, w)
		}
	}
	return out
}

// checkFiles searches the bytes of every file except the agent's own for erased content,
// and looks for files that should not exist.
func (s *soak) checkFiles(f *findings) {
	sessions := filepath.Join(s.agentDir(), "sessions")
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == sessions || filepath.Base(path) == ".git" {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if !e.Type().IsRegular() || strings.HasPrefix(path, filepath.Dir(s.pictx)) {
			return nil
		}
		name := filepath.Base(path)
		if strings.Contains(name, "tmp") || strings.Contains(name, ".new") || strings.Contains(name, ".copy-") || strings.HasPrefix(path, s.dir+"/tmp/") {
			f.say("a file was left: %s", path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, gone := range s.erased(data) {
			f.say("%s is in the bytes of %s", gone, path)
		}
		return nil
	})
	if err != nil {
		f.say("%v", err)
	}
}

// checkProcesses looks for remaining processes of the copied program.
func (s *soak) checkProcesses(f *findings) {
	all, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range all {
		if to, err := os.Readlink(exe); err == nil && strings.HasPrefix(to, filepath.Dir(s.pictx)+"/") {
			f.say("a process was left: %s", filepath.Base(filepath.Dir(exe)))
		}
	}
}

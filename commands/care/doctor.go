package care

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// DoctorCommand returns the command pictx doctor.
func DoctorCommand(a *cli.Run) *cobra.Command {
	fix, quick := false, false
	cmd := cli.Command("doctor", "Find problems and fix them", "11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runDoctor(a, ctx, fix, quick)
	})
	cmd.Flags().BoolVar(&fix, "fix", false, "repair whatever can be repaired without loss")
	cmd.Flags().BoolVar(&quick, "quick", false, "leave out the checks that read the whole store")
	return a.JSONFlag(cmd)
}

// The values of checkResult.Result.
const (
	resultOK      = "ok"
	resultWarning = "warning"
	resultError   = "error"
)

// checkResult is a line of doctor.
type checkResult struct {
	Name    string `json:"name"`
	Result  string `json:"result"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Fixed   bool   `json:"fixed,omitempty"`
}

// doctorResult is what doctor prints as JSON.
type doctorResult struct {
	Checks   []checkResult      `json:"checks"`
	Tables   []store.TableSize  `json:"tables"`
	Hooks    []jsonl.EventTimes `json:"hooks"`
	Failures []jsonl.LogEntry   `json:"failures"`
}

// doctor is one run of the checks.
type doctor struct {
	*cli.Run
	workspace.Project
	set        *workspace.Settings
	fix, quick bool
	sessions   int // of this project, that the agent keeps
	found      doctorResult
}

func (d *doctor) say(name, result, hint, format string, args ...any) *checkResult {
	d.found.Checks = append(d.found.Checks, checkResult{Name: name, Result: result, Message: fmt.Sprintf(format, args...), Hint: hint})
	return &d.found.Checks[len(d.found.Checks)-1]
}

// has reports whether a check has a result.
func (r doctorResult) has(result string) bool {
	return slices.ContainsFunc(r.Checks, func(c checkResult) bool { return c.Result == result })
}

func runDoctor(a *cli.Run, ctx context.Context, fix, quick bool) error {
	pl, err := a.Here()
	if err != nil {
		return err
	}
	set, err := a.LoadSettings(pl)
	if err != nil {
		return err
	}
	d := &doctor{Run: a, Project: pl, set: set, fix: fix, quick: quick}
	d.found.Hooks, d.found.Failures = []jsonl.EventTimes{}, []jsonl.LogEntry{}
	v := d.VersionInfo()
	d.say("version", resultOK, "", "pictx %s, %s, SQLite %s %s", v.Version, v.Go, v.SQLite, v.Driver)
	d.config()
	d.agent()
	d.piVersion(ctx)
	d.extension()
	d.shell()
	d.doubles()
	d.hooks()
	d.summarizers()
	d.thinking(ctx)
	d.store(ctx)
	if err := d.blobs(ctx); err != nil {
		return err
	}
	if err := a.Out.Emit(d.found, d.found.Text); err != nil || !d.found.has(resultError) {
		return err
	}
	return exit.Silent(exit.Failed)
}

// Text prints the checks.
func (r doctorResult) Text(w *cli.Out) {
	width := 0
	for _, c := range r.Checks {
		width = max(width, len(c.Name))
	}
	colors := map[string]string{resultOK: cli.StyleGreen, resultWarning: cli.StyleCyan, resultError: cli.StyleRed}
	for _, c := range r.Checks {
		result := fmt.Sprintf("%-7s", c.Result)
		w.Printf("%s  %-*s  %s", w.Style(colors[c.Result], result), width, c.Name, cli.Hang(text.TerminalLine(c.Message), width+11, w.Width))
		if c.Fixed {
			w.Printf(" (mended)")
		}
		w.Printf("\n")
		if c.Hint != "" && !c.Fixed {
			w.Printf("%-*s  %s\n", width+9, "", w.Style(cli.StyleDim, "hint: "+text.TerminalLine(c.Hint)))
		}
	}
}

// config reports mistakes in the settings.
func (d *doctor) config() {
	s := d.set
	for _, w := range s.Warnings {
		d.say("settings", resultError, w.Hint, "%s", w.String())
	}
	if len(s.Warnings) == 0 {
		d.say("settings", resultOK, "", "no errors in the configuration")
	}
	if len(present(s.Resolved).systems) == 0 {
		d.say("systems", resultWarning, "pictx setup", "all of them are off: pictx does nothing in pi")
	}
	d.trust()
}

// trust reports files of the project that are ignored: its settings, and decisions that
// the model is not shown.
func (d *doctor) trust() {
	s := d.set
	if _, err := os.Stat(filepath.Join(d.Root, ".pi")); err != nil || workspace.Trusted(d.Project, s.Config.Trust, d.Env.Getenv("HOME")) {
		return
	}
	var names []string
	for _, f := range s.PassedOver(d.Project) {
		names = append(names, filepath.Base(f))
	}
	switch {
	case len(names) > 0:
		d.say("trust", resultWarning, trustHint(d.Project, s.Config.Trust), "%s is not trusted: its .pi settings are not used: %s", d.Root, strings.Join(names, ", "))
	case len(d.SettingsHere()) == 0 && !d.Undecided() && !d.Began():
		d.say("trust", resultWarning, trustHint(d.Project, s.Config.Trust), "%s is not trusted: the model is not shown its decisions", d.Root)
	}
}

// trustHint says how to trust a project. The setting is a list and written as a whole, so
// it includes the projects that are trusted already.
func trustHint(pl workspace.Project, trusted []string) string {
	all := append(slices.Clone(trusted), pl.Root)
	return "open the project in pi and say /trust, or pictx config set trust " + text.ShellWord(strings.Join(all, ","))
}

// agent checks pi's directory and counts its sessions.
func (d *doctor) agent() {
	if _, err := os.Stat(d.AgentDir); err != nil {
		why, hint := ": pi has not run yet", "pictx setup"
		if d.Env.Getenv("PI_CODING_AGENT_DIR") != "" {
			why, hint = ": PI_CODING_AGENT_DIR names it as pi's directory", "unset PI_CODING_AGENT_DIR"
		} else if d.LookPath("pi", d.Root) == "" {
			why, hint = ", and pi is not on the PATH", "npm install -g --ignore-scripts @earendil-works/pi-coding-agent"
		}
		d.say("pi", resultWarning, hint, "%s does not exist%s", d.AgentDir, why)
		return
	}
	files, err := d.Sources().Find("")
	own, ownErr := workspace.KeptSessions(d.Sources(), d.Project, false)
	if err = errors.Join(err, ownErr); err != nil {
		d.say("pi", resultError, "", "%v", err)
		return
	}
	d.sessions = len(own)
	d.say("pi", resultOK, "", "%s, %s, %d of this project", d.AgentDir, text.Count(len(files), "session"), len(own))
}

// thinking reports newest sessions of which providers left thinking out, or refused it.
func (d *doctor) thinking(ctx context.Context) {
	if d.quick {
		return
	}
	edited, err := workspace.EditedSessions(ctx, d.Sources(), d.Project, false, newestSessions)
	if err != nil {
		return // agent has reported the error
	}
	for _, e := range edited {
		if e.Dropped.Requests == 0 {
			continue
		}
		hint := ""
		if e.Pruned > 0 {
			hint = "pictx prune --undo " + e.ID
		}
		d.say("thinking", resultWarning, hint, "session %s: the provider left thinking out of %s, because something before it had changed",
			history.ShortSession(e.ID), text.Count(e.Dropped.Requests, "request"))
	}
}

// store checks the project's store.
func (d *doctor) store(ctx context.Context) {
	path := d.StorePath()
	mode := sqlite.Read
	if _, err := os.Stat(path); err == nil && d.fix {
		mode = sqlite.Write
	}
	st, err := store.Open(ctx, path, mode, d.Env.Now)
	if errors.Is(err, sqlite.ErrNoStore) { // also for an empty file that a killed import left
		if d.sessions == 0 {
			d.say("store", resultOK, "", "none yet: it is made with the first session of this project")
			return
		}
		d.say("store", resultWarning, "pictx import", "there is no store of this project yet")
		return
	}
	d.permissions(path)
	if err != nil {
		d.say("store", resultError, d.storeHint(err), "%v", err)
		return
	}
	defer st.Close()
	d.sound(ctx, st)
}

// storeHint returns the hint of an error of the store. Its general hint would be to run doctor: a
// damaged store is moved away instead, as it may be the only copy of sessions whose files are gone.
func (d *doctor) storeHint(err error) string {
	if errors.Is(err, sqlite.ErrDamaged) {
		return fmt.Sprintf("mv '%s' '%s.damaged' && pictx import", d.StorePath(), d.StorePath())
	}
	_, hint := workspace.Verdict(err)
	return hint
}

// permissions checks that other users cannot read the store.
func (d *doctor) permissions(path string) {
	for _, p := range []string{filepath.Dir(path), path, path + "-wal", path + "-shm"} {
		st, err := os.Stat(p)
		if err != nil || !blob.Exposed(st.Mode()) {
			continue
		}
		want := st.Mode().Perm() &^ 0o077
		c := d.say("permissions", resultError, "pictx doctor --fix", "%s can be read by others (%04o)", p, st.Mode().Perm())
		if d.fix && os.Chmod(p, want) == nil {
			c.Result, c.Fixed = resultOK, true
		}
	}
}

// sound checks the contents of the store.
func (d *doctor) sound(ctx context.Context, st *store.Store) {
	h, err := st.Check(ctx, d.quick)
	if err != nil {
		d.say("store", resultError, d.storeHint(err), "%v", err)
		return
	}
	d.found.Tables = h.Tables
	rows := make(map[string]int64)
	for _, t := range h.Tables {
		rows[t.Name] = t.Rows
	}
	c := d.say("store", resultOK, "", "%s of %s, %s, schema %d: %s", text.Count(rows["messages"], "entry"),
		text.Count(rows["conversations"], "session"), text.Bytes(h.Bytes), h.Schema, st.Path())
	if known := sqlite.SchemaVersion(); h.Schema > known {
		c.Result, c.Hint = resultError, "update pictx"
		c.Message += fmt.Sprintf(": it is read only, because a newer pictx made it and this one knows schema %d", known)
	}
	for _, p := range h.Problems {
		d.say("integrity", resultError, d.storeHint(sqlite.ErrDamaged), "%s", p)
	}
	if len(h.Problems) == 0 && !d.quick {
		d.say("integrity", resultOK, "", "sound")
	}
	if d.fix {
		if err := st.Checkpoint(ctx); err != nil {
			d.say("log", resultWarning, "", "%v", err)
		}
	}
	if len(h.Problems) == 0 {
		d.history(ctx, st)
	}
	d.extracts(ctx, st)
	d.secrets(ctx, st)
}

// secrets reports keys in the store. Only the user can decide to mask them.
func (d *doctor) secrets(ctx context.Context, st *store.Store) {
	if d.quick {
		return
	}
	redact := d.set.Config.Redact
	const mask = "pictx history redact --known-keys"
	hint := mask
	if !redact.KnownKeys {
		hint = "pictx config set redact.known_keys true && " + mask
	}
	redact.KnownKeys = true
	c, err := st.Eraser.Choose(ctx, erase.Selection{Match: redact.Finder()})
	switch {
	case err != nil:
		d.say("keys", resultError, d.storeHint(err), "%v", err)
	case c.Entries > 0:
		d.say("keys", resultWarning, hint, "%s of %s may contain a key or a match of redact.patterns", text.Count(c.Entries, "entry"), text.Count(len(c.Sessions), "session"))
	case d.set.Config.Redact.KnownKeys:
		d.say("keys", resultOK, "", "keys of known formats are masked before they are stored")
	default:
		d.say("keys", resultOK, "", "no keys of known formats in the store")
	}
}

// blobs checks the stored full texts of shortened results.
func (d *doctor) blobs(ctx context.Context) error {
	c := d.set.Config.Blobs
	st := d.BlobCache(&d.set.Config, d.AgentDir)
	n, bytes, err := st.Usage()
	if err != nil {
		d.say("blobs", resultError, "", "%v", err)
		return nil
	}
	line := d.say("blobs", resultOK, "", "%s, %s", text.Count(n, "blob"), text.Bytes(bytes))
	if c.MaxBytes > 0 {
		line.Message += " of " + text.Bytes(c.MaxBytes)
	}
	if !c.Enabled {
		line.Message += ", and no more are kept"
	}
	if d.quick || n == 0 {
		return nil
	}
	bad := 0
	if _, err := st.Verify(ctx, func(blob.Finding) { bad++ }); err != nil {
		return err
	}
	if bad > 0 {
		line.Result, line.Hint = resultError, "pictx blobs verify"
		line.Message += ": " + text.Count(bad, "finding")
	}
	return nil
}

const (
	// logLines is the number of log lines that doctor reads, and lastFailures the number
	// of failures that it lists.
	logLines, lastFailures = 1000, 5
	// slowHook is a delay in milliseconds that users notice before every response.
	slowHook = 200
)

// hooks checks recent events in the log: whether they failed, and how long the agent waited
// for them.
func (d *doctor) hooks() {
	r := jsonl.LogReader{Log: HookLog(d.AgentDir)}
	lines, err := r.Read()
	if err != nil {
		d.say("hooks", resultWarning, "", "%v", err)
		return
	}
	if lines = lines[max(0, len(lines)-logLines):]; len(lines) == 0 {
		return
	}
	d.found.Hooks = jsonl.Times(lines)
	events, calls := 0, 0
	for _, t := range d.found.Hooks {
		if waited(t.Event) && t.P95 > slowHook {
			d.say("hooks", resultWarning, "pictx log --event "+text.ShellWord(text.TerminalLine(t.Event)),
				"%s: %s, p50 %s, p95 %s", t.Event, text.Count(t.Calls, "time"), milliseconds(t.P50), milliseconds(t.P95))
			continue
		}
		events, calls = events+1, calls+t.Calls
	}
	if events > 0 {
		d.say("hooks", resultOK, "", "%s handled, %s in time; pictx doctor --json has the times of each", text.Count(calls, "call"), text.Count(events, "event"))
	}
	d.failed(lines)
}

// failed reports the failures of the last day.
func (d *doctor) failed(lines []jsonl.LogEntry) {
	failed := slices.DeleteFunc(slices.Clone(lines), func(e jsonl.LogEntry) bool { return !e.Failed() })
	d.found.Failures = append(d.found.Failures, failed[max(0, len(failed)-lastFailures):]...)
	recent := 0
	for _, e := range failed {
		if e.Time.After(d.Env.Now().Add(-24 * time.Hour)) {
			recent++
		}
	}
	if recent > 0 {
		e := failed[len(failed)-1]
		d.say("hooks", resultWarning, "pictx log --failed", "%s within a day, the last %s: %s %s %s",
			text.Count(recent, "failure"), text.LocalMinute(e.Time.UnixMilli()), e.Event, e.Result, e.Error)
	}
}

// waited reports whether the agent waits for an event before it continues. Requests of the
// user or the model, and background work, may take longer.
func waited(event string) bool {
	return !slices.Contains([]string{
		"tool", "command", "complete", "session_start", "session_before_compact", "session_shutdown",
	}, event)
}

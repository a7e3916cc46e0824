package commands

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
)

func (a *app) decisionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "decision",
		GroupID: groupContext,
		Short:   "Remember what was decided in a project",
		Long: `Keeps what was decided in a project: rules that were chosen, had alternatives, and
hold for what comes. They lie in .pi/decision-memory/decisions.jsonl, a line for
every change, which git merges and everybody can read; the agent is shown the active
ones at the start of a session and told of each change.

A decision is active, draft, rejected or superseded. What the agent proposes, in its
own shell too, is a draft until a person accepts it. IDs may be given by their
beginning or by their last letters. In pi, /decision does the same.`,
		Example: `  pictx decision add 'Use PostgreSQL for the primary database' --reason 'we need joins'
  pictx decision list
  pictx decision supersede K3F9 'Use SQLite' --reason 'one file is enough'
  pictx decision audit --diff origin/main..HEAD --format github`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&a.decisionRoot, "root", rootProject, "in a submodule, whose decisions: its own (`project`) or those of the one around it (super)")
	a.completeWords(cmd, "root", []string{rootProject, rootSuper})
	for _, c := range []*cobra.Command{
		a.decisionAdd(), a.decisionDraft(), a.decisionList(), a.decisionShow(), a.decisionSearch(), a.decisionEdit(),
		a.decisionRemove(), a.decisionSupersede(), a.decisionTag(), a.decisionReason(), a.decisionAccept(), a.decisionReject(),
		a.decisionConflict(), a.decisionResolve(), a.decisionUndo(), a.decisionStatus(), a.decisionPurge(), a.decisionReset(),
		a.decisionEnable(), a.decisionDisable(), a.decisionContext(), a.decisionHistory(), a.decisionBlame(), a.decisionDiff(),
		a.decisionAudit(), a.decisionDoctor(), a.decisionExport(), a.decisionImport(), a.decisionInit(), a.decisionMergeDriver(),
	} {
		cmd.AddCommand(c)
	}
	return cmd
}

// decisions is the log of a project at work.
type decisions struct {
	*app
	pl  place
	set *settings
	log *jsonl.Decisions
}

// decisions finds the log of the project. Nothing is opened or made.
func (a *app) decisions() (*decisions, error) {
	pl, err := a.place()
	if err != nil {
		return nil, err
	}
	if pl, err = a.around(pl); err != nil {
		return nil, err
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil, err
	}
	a.warn(set)
	return &decisions{a, pl, set, openDecisions(pl, set)}, nil
}

// openDecisions returns the log of a project.
func openDecisions(pl place, set *settings) *jsonl.Decisions {
	log := jsonl.OpenDecisions(pl.Root)
	log.MaxLine = set.Config.Decisions.MaxLine
	return log
}

// load reads the log, and says what of it cannot be used.
func (w *decisions) load() (*decision.Log, *decision.State, error) {
	log, state, err := w.log.Load()
	if err != nil {
		return nil, nil, err
	}
	if n := len(log.Damage); n > 0 {
		fmt.Fprintf(w.env.Err, "pictx: warning: %s of the log cannot be used: line %d: %s\nhint: pictx decision doctor\n",
			text.Count(n, "line"), log.Damage[0].Line, text.Printable(log.Damage[0].Cause))
	}
	return log, state, nil
}

// off says why nothing is written, "" when it is. A project may always switch it
// off, trusted or not.
func (w *decisions) off() (string, error) {
	return decisionsOff(w.app, w.pl, w.set)
}

func decisionsOff(a *app, pl place, set *settings) (string, error) {
	if !set.Config.Decisions.Enabled {
		s, err := set.Get(keyDecisions)
		return s.Origin.String(), err
	}
	yes := true
	all, err := a.trustedSettings(pl, &yes)
	if err != nil || all.Config.Decisions.Enabled {
		return "", err
	}
	s, err := all.Get(keyDecisions)
	return s.Origin.String(), err
}

// keyDecisions is the setting that switches the decisions off.
const keyDecisions = "decisions.enabled"

// refuseOff refuses a change where decisions are off.
func (w *decisions) refuseOff() error {
	where, err := w.off()
	if err != nil || where == "" {
		return err
	}
	hint := "pictx decision enable --global"
	if strings.HasPrefix(where, "project ") {
		hint = "pictx decision enable --project"
	}
	return withHint(exitRefused, hint, fmt.Errorf("decisions are off: %s says so", where))
}

// mayChange refuses a change where decisions are off, and where there is no place
// for a log: a bare repository has no files of its own.
func (w *decisions) mayChange() error {
	if err := w.refuseOff(); err != nil {
		return err
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(w.pl.Root, name)); err != nil {
			return nil //nolint:nilerr // what a bare repository has is not there
		}
	}
	return usageError("git clone "+shellWord(w.pl.Root), "write decisions: %s is a bare repository, which has no files", w.pl.Root)
}

// forPeople refuses what an agent may not decide.
func (a *app) forPeople(what string) error {
	if !a.env.agent() {
		return nil
	}
	return withHint(exitRefused, "ask the user to run it", fmt.Errorf("%s: that is for a person to decide", what))
}

// change changes the log. The editor sees it as it is while nobody else writes.
func (w *decisions) change(ctx context.Context, edit func(e *decision.Editor) error) (*decision.State, error) {
	if err := w.mayChange(); err != nil {
		return nil, err
	}
	return w.changeAs(ctx, "", edit)
}

// changeAs changes the log as an actor, the one of this process when it is "".
func (w *decisions) changeAs(ctx context.Context, actor string, edit func(e *decision.Editor) error) (*decision.State, error) {
	author := w.author(ctx)
	begins := !regularFile(w.log.Path())
	project := ""
	if err := w.log.Update(ctx, w.edited(ctx, author, actor, &project, edit)); err != nil {
		return nil, err
	}
	if begins {
		w.pl.begin(project)
	}
	_, s, err := w.log.Load()
	return s, err
}

// edited is what an edit makes of the log, of a project whose id it says.
func (w *decisions) edited(ctx context.Context, author, actor string, project *string, edit func(e *decision.Editor) error) func(*decision.Log, *decision.State) ([]decision.Event, error) {
	return func(log *decision.Log, s *decision.State) ([]decision.Event, error) {
		e, err := w.editor(ctx, log, s)
		if err != nil {
			return nil, err
		}
		e.By, *project = author, e.Project
		if actor != "" {
			e.Actor = actor
		}
		if err := edit(e); err != nil {
			return nil, err
		}
		return e.Events(), nil
	}
}

// editor is one for a change that is made now.
func (w *decisions) editor(ctx context.Context, log *decision.Log, s *decision.State) (*decision.Editor, error) {
	now, err := w.now()
	if err != nil {
		return nil, err
	}
	e := &decision.Editor{State: s, Now: now, Random: w.random(), Actor: "user", Project: w.projectID(ctx, log), MaxText: w.set.Config.Decisions.MaxText}
	if w.env.agent() {
		e.Actor = "agent"
	}
	return e, nil
}

// now is the time, or the one of PICTX_NOW.
func (a *app) now() (time.Time, error) {
	text := a.env.Getenv("PICTX_NOW")
	if text == "" {
		return a.env.Now(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, usageError("PICTX_NOW=2026-11-20T09:00:00Z", "read PICTX_NOW: %q is no time", text)
	}
	return t, nil
}

// random is the system's randomness, or that of PICTX_SEED.
func (a *app) random() io.Reader {
	text := a.env.Getenv("PICTX_SEED")
	if text == "" {
		return rand.Reader
	}
	var seed [32]byte
	copy(seed[:], text)
	return mrand.NewChaCha8(seed)
}

// projectID is the id that the log has already; of a new one that of the
// repository's first commit, which every clone and work tree has, or a random one.
func (w *decisions) projectID(ctx context.Context, log *decision.Log) string {
	const digits = 16
	if p := log.Project(); p != "" {
		return p
	}
	if out, err := w.git(ctx, "rev-list", "--max-parents=0", "HEAD"); err == nil {
		lines := strings.Fields(string(out))
		if n := len(lines); n > 0 && len(lines[n-1]) >= digits {
			return lines[n-1][:digits]
		}
	}
	var b [digits / 2]byte
	_, _ = io.ReadFull(w.random(), b[:]) // the system's never fails
	return hex.EncodeToString(b[:])
}

// author is who decides: git's user, or the account.
func (w *decisions) author(ctx context.Context) string {
	name, _ := w.git(ctx, "config", "user.name")
	mail, _ := w.git(ctx, "config", "user.email")
	n, m := strings.TrimSpace(string(name)), strings.TrimSpace(string(mail))
	switch {
	case n != "" && m != "":
		return n + " <" + m + ">"
	case n+m != "":
		return n + m
	}
	if user := w.env.Getenv("USER"); user != "" {
		return user
	}
	return w.env.Getenv("USERNAME")
}

// decisionWords completes ids.
func (a *app) decisionWords(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	const most = 100
	w, err := a.decisions()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, s, err := w.log.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, d := range s.Present() {
		if strings.HasPrefix(strings.ToUpper(d.ID), strings.ToUpper(prefix)) && len(out) < most {
			out = append(out, d.ID+"\t"+text.TerminalLine(d.Title))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// changedJSON is what a command that changes decisions prints as JSON.
type changedJSON struct {
	V         int             `json:"v"`
	Action    string          `json:"action"`
	Decisions []decision.View `json:"decisions"`
	Related   []relatedJSON   `json:"related"`
}

// relatedJSON is a decision that a new one is related to.
type relatedJSON struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
	Class string  `json:"class"`
	Text  string  `json:"text"`
}

// changed prints what a change made of decisions.
func (w *decisions) changed(action string, s *decision.State, related []decision.Related, ids ...string) error {
	v := changedJSON{V: 1, Action: action, Decisions: []decision.View{}, Related: []relatedJSON{}}
	var lines []string
	for _, id := range ids {
		d, err := s.Find(id)
		if err != nil {
			return err
		}
		v.Decisions = append(v.Decisions, d.View())
		lines = append(lines, d.Summary())
	}
	for _, r := range related {
		score, _ := strconv.ParseFloat(strconv.FormatFloat(r.Score, 'f', 2, 64), 64)
		v.Related = append(v.Related, relatedJSON{r.Decision.ID, score, string(r.Class), r.Decision.Text})
	}
	return w.out.emit(v, func(o *out) {
		for _, l := range lines {
			o.printf("%s %s\n", action, l)
		}
	})
}

// decisionVerdict says which exit code and hint belong to an error of the
// decisions; false for other errors.
func decisionVerdict(err error) (int, string, bool) {
	var equal *decision.EqualError
	var refused *decision.RefusedError
	switch {
	case errors.As(err, &equal):
		return exitRefused, "--force adds it all the same, --update changes " + equal.Decision.ID, true
	case errors.As(err, &refused):
		return exitRefused, refused.How, true
	case errors.As(err, new(*decision.AmbiguousError)):
		return exitUsage, "give more of the id", true
	case errors.Is(err, dialog.ErrNoChoice):
		return exitNotFound, "pictx decision add", true
	case errors.As(err, new(*decision.NotFoundError)):
		return exitNotFound, "pictx decision list --all", true
	case errors.As(err, new(*decision.TextError)), errors.As(err, new(*decision.QueryError)):
		return exitUsage, "", true
	case errors.Is(err, decision.ErrReason):
		return exitUsage, "--reason WHY", true
	case errors.Is(err, decision.ErrRetention):
		return exitUsage, "pictx decision init --retention, or pictx config set KEY DAYS", true
	case errors.Is(err, jsonl.ErrDecisionsBusy):
		return exitBusy, "try again when the other process is done", true
	case errors.As(err, new(*decision.NewerError)):
		return exitDamaged, "update pictx", true
	case errors.As(err, new(*jsonl.OutsideError)):
		return exitRefused, "", true
	}
	return 0, "", false
}

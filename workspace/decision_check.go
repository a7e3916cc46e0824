package workspace

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// AuditSpan adds the changes of a range of commits to an audit.
func (w *DecisionLog) AuditSpan(ctx context.Context, span string, checks *decision.Checks) error {
	if err := w.Check(ctx); err != nil {
		return err
	}
	from, to, err := w.Span(ctx, span)
	if err != nil {
		return err
	}
	args := []string{"diff", "--name-only", "--relative", "-z", "--no-renames", from}
	if to != "" {
		args = append(args, to)
	}
	names, err := w.Git(ctx, append(args, "--")...)
	if err != nil {
		return err
	}
	checks.Changed = strings.FieldsFunc(string(names), func(r rune) bool { return r == 0 })
	messages, err := w.Git(ctx, "log", "--format=%B", from+".."+cmp.Or(to, "HEAD"))
	if err != nil {
		return err
	}
	checks.Messages = string(messages)
	before, after, err := w.Two(ctx, from, to)
	if err == nil {
		checks.Span, checks.Touched = true, decision.Touched(before, after)
	}
	return err
}

// NotBare rejects a bare repository, which has no work tree and therefore no log.
func (w *DecisionLog) NotBare() error {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(w.Project.Root, name)); err != nil {
			return nil //nolint:nilerr // a bare repository would have it
		}
	}
	return exit.UsageError("git clone "+text.ShellWord(w.Project.Root), "open decisions: %s is a bare repository, which has no files", w.Project.Root)
}

// Two returns the logs at two commits; "" means the work tree.
func (w *DecisionLog) Two(ctx context.Context, from, to string) (before, after *decision.Log, err error) {
	b, err := w.Blob(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	if to == "" {
		if err := w.NotBare(); err != nil {
			return nil, nil, err
		}
		after, _, err = w.Log.Load()
		return decision.Read(b), after, err
	}
	c, err := w.Blob(ctx, to)
	return decision.Read(b), decision.Read(c), err
}

// Audit returns what checks find in the log, and the number of its decisions.
func (w *DecisionLog) Audit(checks decision.Checks) ([]decision.Finding, int, error) {
	log, s, err := w.Log.Load()
	if err != nil {
		return nil, 0, exit.WithHint(exit.Damaged, "look at the file and who may read it", err)
	}
	data, err := w.Log.Bytes()
	if err != nil {
		return nil, 0, exit.WithHint(exit.Damaged, "", err)
	}
	return checks.CheckLog(log, s, data), len(s.Present()), nil
}

// Mend moves unreadable lines to another file and repairs what needs no decision by a
// person. It returns the paths of the backup and of the moved lines.
func (w *DecisionLog) Mend(ctx context.Context) (saved, aside string, err error) {
	saved, err = w.Rewrite(ctx, true, func(data []byte) ([]byte, error) {
		rest, lines := decision.Mend(data, decision.Read(data))
		if len(lines) > 0 {
			var err error
			if aside, err = w.Log.KeepAside(lines); err != nil {
				return nil, err
			}
		}
		return rest, nil
	})
	return saved, aside, err
}

// The merge driver of the log, as .gitattributes and git's configuration name it.
const (
	DriverName = "pictx-decisions"
	DriverKey  = "merge." + DriverName + ".driver"
	driverVerb = " decision merge-driver %O %A %B"
)

// DriverCommand returns the command line by which git starts the merge driver: pictx by its
// name where it is on the PATH, else by its path.
func (w *DecisionLog) DriverCommand() string {
	if w.Workspace.LookPath("pictx", "") == "" {
		if self, err := w.Workspace.Self(); err == nil {
			return text.ShellWord(self.Path) + driverVerb
		}
	}
	return "pictx" + driverVerb
}

// DriverMissing reports whether .gitattributes names pictx's merge driver for the log while
// this clone does not configure it, or configures a program that is not on the PATH.
func (w *DecisionLog) DriverMissing(ctx context.Context) bool {
	attr, err := w.Git(ctx, "check-attr", "merge", "--", ".pi/decision-memory/decisions.jsonl")
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(attr)), " "+DriverName) {
		return false
	}
	return !w.DriverConfigured(ctx)
}

// DriverConfigured reports whether git's configuration, at any level, has the driver, and git
// finds the program: when a driver does not start, git keeps one side of the log.
func (w *DecisionLog) DriverConfigured(ctx context.Context) bool {
	command, err := w.Git(ctx, "config", "--get", DriverKey)
	named := strings.HasPrefix(string(command), "pictx ")
	return err == nil && (!named || w.Workspace.LookPath("pictx", "") != "")
}

// ConfigureDriver configures the driver in this clone.
func (w *DecisionLog) ConfigureDriver(ctx context.Context) error {
	command := w.DriverCommand()
	if _, err := w.Git(ctx, "config", "--local", DriverKey, command); err != nil {
		return exit.WithHint(exit.Failed, "git config "+DriverKey+" "+text.ShellWord(command), fmt.Errorf("configure git: %w", err))
	}
	return nil
}

package care

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/workspace"
)

// HookLog returns the log of the hooks.
func HookLog(agentDir string) jsonl.Log {
	return jsonl.Log{Dir: workspace.LogDir(agentDir)}
}

type logOptions struct {
	follow, failed bool
	event, session string
	last           int
}

// LogCommand returns the command pictx log.
func LogCommand(a *cli.Run) *cobra.Command {
	o := logOptions{}
	cmd := cli.Command("log", "Show what the hooks did", "3 130", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runLog(a, ctx, o)
	})
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "keep printing new events until interrupted")
	f.BoolVar(&o.failed, "failed", false, "only events that failed, timed out or were missed")
	f.StringVar(&o.event, "event", "", "only this `event`")
	f.StringVar(&o.session, "session", "", "only the session whose `id` begins with this")
	f.IntVarP(&o.last, "limit", "n", 50, "show the last `N` lines; 0 is all")
	a.JSONFlag(cmd)
	a.CompleteWords(cmd, "event", hookEvents())
	a.CompleteSession(cmd)
	return cmd
}

// wants reports whether an event is to be shown.
func (o logOptions) wants(e jsonl.LogEntry) bool {
	return (!o.failed || e.Failed()) && (o.event == "" || e.Event == o.event) && strings.HasPrefix(e.Session, o.session)
}

func runLog(a *cli.Run, ctx context.Context, o logOptions) error {
	if o.last < 0 {
		return exit.UsageError("pictx log -n 50", "show log: -n %d: want a number of lines, or 0", o.last)
	}
	pl, err := a.Here()
	if err != nil {
		return err
	}
	r := &jsonl.LogReader{Log: HookLog(pl.AgentDir)}
	read := func() ([]jsonl.LogEntry, error) {
		lines, err := r.Read()
		if err != nil {
			return nil, fmt.Errorf("show log: %w", err)
		}
		return slices.DeleteFunc(lines, func(e jsonl.LogEntry) bool {
			return !o.wants(e) || a.ProjectDir != "" && e.Project != pl.Key
		}), nil
	}
	lines, err := read()
	if err != nil {
		return err
	}
	if o.last > 0 {
		lines = lines[max(0, len(lines)-o.last):]
	}
	switch some := o.failed || o.event != "" || o.session != ""; {
	case len(lines) > 0 || o.follow:
	case some:
		return exit.WithHint(exit.NotFound, "pictx log", errors.New("no matching lines in the log"))
	default:
		return exit.WithHint(exit.NotFound, "whether pi has the extension: pictx doctor", errors.New("the log is empty"))
	}
	for {
		for _, e := range lines {
			if err := logLine(a, e); err != nil {
				return err
			}
		}
		if !o.follow {
			return nil
		}
		if err := a.Out.Flush(); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
		if lines, err = read(); err != nil {
			return err
		}
	}
}

// logLine prints a line of the log.
func logLine(a *cli.Run, e jsonl.LogEntry) error {
	if a.JSON {
		return a.Out.Line(e)
	}
	body := e.Decision
	if e.Error != "" {
		body = strings.TrimPrefix(body+": "+e.Error, ": ")
	}
	line := fmt.Sprintf("%s  %-22s  %-13s  %8s  %-9s  %s", e.Time.Local().Format(text.SecondForm),
		text.TerminalLine(e.Event), history.ShortSession(e.Session), milliseconds(e.Ms), text.TerminalLine(e.Result), text.TerminalLine(body))
	line = cli.Cut(strings.TrimRight(line, " "), a.Out.Width)
	if e.Failed() {
		line = a.Out.Style(cli.StyleRed, line)
	}
	a.Out.Printf("%s\n", line)
	return nil
}

// milliseconds formats a duration for a person.
func milliseconds(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 10_000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.0f s", ms/1000)
}

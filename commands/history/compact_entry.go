package history

import (
	"bytes"
	"context"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// expandSummary prints the sources of a summary, byte for byte: its messages,
// or the summaries below it.
func expandSummary(a *cli.Run, ctx context.Context, id string, slice history.Slice) error {
	st, _, err := a.Store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	n, err := st.Summaries.Summary(ctx, id)
	if err != nil {
		return err
	}
	sources, err := summary.Sources(ctx, st.Summaries, n, 1)
	if err != nil {
		return err
	}
	if a.JSON {
		for _, s := range sources {
			part, left := slice.Of([]byte(s.Text))
			if err := a.Out.Line(expandedEntry{
				Session: n.Session, Entry: s.ID, Type: "source", Role: s.Label, Text: string(part), TextBytes: len(s.Text), LeftOut: left,
			}); err != nil {
				return err
			}
		}
		return nil
	}
	var b bytes.Buffer
	for _, s := range sources {
		b.WriteString("== " + text.TerminalLine(s.ID+" ("+s.Label) + ")\n" + s.Text)
		if len(s.Text) > 0 && s.Text[len(s.Text)-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	return printPart(a, b.Bytes(), slice)
}

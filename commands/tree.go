package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/report"
)

type treeOptions struct {
	svg, html bool
	output    string
}

func (a *app) treeCommand() *cobra.Command {
	var o treeOptions
	cmd := &cobra.Command{
		Use:     "tree [SESSION]",
		GroupID: groupHistory,
		Short:   "Draw the summaries of a session",
		Long: `Draws what stands for the messages of a session's branch: the summaries at the top
in order, under each what it was made from, then the messages that none stands for,
and the summaries that do not stand on this branch, with the reason: stale when
their source was changed, replaced when there is a better one.

SESSION is an id or a file; without it, it is the agent's own session, or the latest
of the store.`,
		Example: `  pictx tree
  pictx tree 01a1fe4b --html -o tree.html
  pictx tree --json | jq -r 'select(.state == "stale").id'`,
		Annotations:       exits("3 10 11 12"),
		Args:              someArgs(0, 1),
		ValidArgsFunction: a.sessionWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runTree(cmd.Context(), o, append(args, "")[0])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.svg, "svg", false, "draw a picture")
	f.BoolVar(&o.html, "html", false, "write a page with the picture and all texts")
	f.StringVarP(&o.output, "output", "o", "", "write into this `file`")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runTree(ctx context.Context, o treeOptions, session string) error {
	if o.svg && o.html || a.json && (o.svg || o.html) {
		return usageError("pictx tree --html -o tree.html", "--svg, --html and --json exclude each other")
	}
	h, err := a.openHistory(ctx, session)
	if err != nil {
		return err
	}
	defer h.close()
	v, err := h.view(ctx)
	if err != nil {
		return err
	}
	if len(v.Nodes) == 0 {
		return withHint(exitNotFound, "pictx compact", errors.New("nothing of session "+history.ShortSession(h.id)+" is summarised"))
	}
	switch {
	case a.json:
		return a.treeJSON(v)
	case o.svg || o.html:
		var b bytes.Buffer
		if o.svg {
			err = report.SummarySVG(&b, v)
		} else {
			err = treePage(h.id, v).Write(&b)
		}
		if err != nil {
			return err
		}
		return a.deliver(o.output, b.Bytes())
	}
	return a.deliver(o.output, []byte(text.Printable(v.Tree(0))+"\n"))
}

// treePage is a page with the picture and all texts.
func treePage(session string, v *summary.View) *report.SessionPage {
	return &report.SessionPage{
		Title: "Summaries of session " + fence.OneLine(session, 80),
		Lead:  fmt.Sprintf("%s, %s.", text.Count(len(v.Branch.Units), "message"), text.Count(len(v.Nodes), "summary")),
		View:  v, HasPicture: true,
	}
}

// treeJSON prints every node, one a line.
func (a *app) treeJSON(v *summary.View) error {
	up := parentsOf(v.Nodes)
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if err := a.out.line(summaryLine(n, v.Cover.States[n.Key], up[n.Key])); err != nil {
			return err
		}
	}
	return nil
}

// deliver prints data, or writes it into a private file that was not there.
func (a *app) deliver(file string, data []byte) error {
	if file == "" {
		_, err := a.out.Write(data)
		return err
	}
	if err := newFile(a.path(file), data); err != nil {
		return err
	}
	fmt.Fprintf(a.env.Err, "pictx: wrote %s\n", file)
	return nil
}

// newFile writes a private file that must not be there yet.
func newFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return withHint(exitRefused, "rm "+shellWord(path), fmt.Errorf("write %s: it is there already", path))
	}
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

package object

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// Command returns the command pictx object.
func Command(a *cli.Run) *cobra.Command {
	cmd := cli.Parent("object", "Inspect and control what the agent has in context")
	for _, v := range verbs {
		cmd.AddCommand(v.command(a))
	}
	for _, m := range moved {
		cmd.AddCommand(cli.Moved(m[0], m[1]))
	}
	return cmd
}

// idWords completes ids and nicknames.
func idWords(a *cli.Run, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	const limit = 50
	st, _, err := a.Store(cmd.Context(), sqlite.Read)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer st.Close()
	all, err := st.Objects.FindObjects(cmd.Context(), object.Query{})
	var out []string
	for i := range all {
		v := &all[i]
		for _, name := range []string{v.Nickname, v.ID} {
			if err == nil && name != "" && strings.HasPrefix(name, prefix) && len(out) < limit {
				out = append(out, name+"\t"+text.TerminalLine(v.Label()))
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// objectView is a version of an object as JSON.
type objectView struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Label    string `json:"label"`
	Nickname string `json:"nickname,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Status   string `json:"status"`
	Session  string `json:"session,omitempty"`
	Version  int    `json:"version"`
	Size     int64  `json:"size"` // bytes of the content, -1 for none

	// Lines is set for a file that was only read in part.
	Lines *object.Lines `json:"lines,omitempty"`

	State   string `json:"state,omitempty"`
	Pinned  bool   `json:"pinned,omitempty"`
	From    string `json:"from"`
	To      string `json:"to,omitempty"`
	Content string `json:"content_hash"`
	Meta    string `json:"meta_hash"`
	Object  string `json:"object_hash"`

	of *object.Version
}

func objectLine(v *object.Version) objectView {
	j := objectView{
		of: v, ID: v.ID, Type: string(v.Doc.Kind), Label: v.Label(), Nickname: v.Nickname, Status: v.Condition(),
		Session: v.Key.Session(), Version: v.Number, Size: v.Size,
		From: timeJSON(v.From), To: timeJSON(v.To),
		Content: v.Hashes.Content.String(), Meta: v.Hashes.Meta.String(), Object: v.Hashes.Object.String(),
	}
	if v.Doc.Toolcall != nil {
		j.Tool = v.Doc.Toolcall.Tool
	}
	j.Lines = v.Part()
	return j
}

// timeJSON formats a time for JSON, "" for never.
func timeJSON(t object.Time) string {
	if t == object.Forever {
		return ""
	}
	return text.KnownTime(int64(t) / 1000)
}

// contentSize formats the size of a content, "-" without one.
func contentSize(v *object.Version) string {
	if v.Size < 0 {
		return "-"
	}
	return text.Bytes(v.Size)
}

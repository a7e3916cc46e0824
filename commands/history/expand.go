package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

type expandOptions struct {
	session, lines, grep string
	head, maxBytes       int
	raw, full            bool
}

// ExpandCommand returns the command pictx expand.
func ExpandCommand(a *cli.Run) *cobra.Command {
	var o expandOptions
	cmd := cli.Command("expand ID", "Print the original of an entry, byte for byte", "3 10 11 12", cli.SomeArgs(1, -1), func(ctx context.Context, args []string) error {
		return runExpand(a, ctx, o, args)
	})
	cmd.ValidArgsFunction = a.EntryWords
	f := cmd.Flags()
	f.StringVar(&o.session, "session", "", "look in this session only: `id`, or a session file that need not be imported")
	f.StringVar(&o.lines, "lines", "", "only these lines: `from-to`, counted from 1")
	f.StringVar(&o.grep, "grep", "", "only lines that match this `regex`, ignoring case")
	f.IntVar(&o.head, "head", 0, "at most this many lines")
	f.IntVar(&o.maxBytes, "max-bytes", 0, "at most this many bytes, cut between characters")
	f.BoolVar(&o.raw, "raw", false, "print the line of the session file")
	f.BoolVar(&o.full, "full", false, "print all of an output that pi shortened")
	cli.Hide(f, "head", "max-bytes")
	a.JSONFlag(cmd)
	a.CompleteSession(cmd)
	return cmd
}

// expandedEntry is what expand prints as JSON.
type expandedEntry struct {
	Session   string `json:"session"`
	Entry     string `json:"entry"`
	Parent    string `json:"parent"`
	Type      string `json:"type"`
	Role      string `json:"role"`
	Tool      string `json:"tool,omitempty"`
	IsError   bool   `json:"is_error,omitempty"`
	Time      string `json:"time"`
	Text      string `json:"text"`
	TextBytes int    `json:"text_bytes"` // the size of the whole text
	LeftOut   int    `json:"left_out"`   // the bytes of it that are not in Text
	Raw       string `json:"raw,omitempty"`
	Images    int    `json:"images"`
}

// piece is a text that expand has found.
type piece struct {
	expandedEntry // what it says of the text as JSON
	data          []byte
	heading       string // printed above it, "" for none
	note          string // a remark for a person, "" for none
}

// runExpand looks in the current project, then in the project of the session that runs the
// command: an agent may follow a marker in any directory.
func runExpand(a *cli.Run, ctx context.Context, o expandOptions, args []string) error {
	err := workspace.Elsewhere(a.Workspace, expand(a, ctx, o, args), "pictx import, or pictx grep --all WORDS")
	home := workspace.SessionProject(a.Env.Getenv)
	if !missing(err) || a.ProjectDir != "" || home == "" {
		return err
	}
	there, place := *a, *a.Workspace
	place.ProjectDir = home
	there.Workspace = &place
	if second := expand(&there, ctx, o, args); !missing(second) {
		return second
	}
	return err
}

// missing reports whether an error means that nothing here has the id.
func missing(err error) bool { return unknown(err) || errors.Is(err, workspace.ErrOthers) }

// unknown reports whether an error means that no entry of the store has the id.
func unknown(err error) bool {
	return errors.Is(err, history.ErrNotFound) || errors.Is(err, sqlite.ErrNoStore)
}

// expand finds what the arguments name, and prints the part of it that the flags select.
func expand(a *cli.Run, ctx context.Context, o expandOptions, args []string) error {
	slice, err := o.slice()
	if err != nil {
		return err
	}
	found, err := o.find(a, ctx, args)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	for _, p := range found {
		if a.JSON {
			part, left := slice.Of(p.data)
			p.TextBytes, p.LeftOut = len(p.data), left
			if o.raw {
				p.Raw = string(part)
			} else {
				p.Text = string(part)
			}
			if err := a.Out.Line(p.expandedEntry); err != nil {
				return err
			}
			continue
		}
		all.WriteString(p.heading)
		all.Write(p.data)
		if p.heading != "" && !bytes.HasSuffix(p.data, []byte("\n")) {
			all.WriteByte('\n')
		}
	}
	if a.JSON {
		return nil
	}
	if err := printPart(a, all.Bytes(), slice); err != nil || len(found) == 0 || found[0].note == "" {
		return err
	}
	fmt.Fprintf(a.Env.Err, "pictx: %s\n", found[0].note)
	return nil
}

// find returns the text that the arguments name: a file in which pi left a full output, the
// sources of a summary, an entry, or a blob.
func (o expandOptions) find(a *cli.Run, ctx context.Context, args []string) ([]piece, error) {
	if path := outputFile(args); path != "" {
		p, err := fileCopy(a, path)
		return []piece{p}, err
	}
	id := workspace.MarkerID(args)
	if !regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`).MatchString(id) {
		return nil, exit.UsageError("pictx expand 3f9a2c1b", "parse id %q: want letters, digits and dashes", strings.Join(args, " "))
	}
	if summary.LooksLikeKey(id) {
		return sourcesOf(a, ctx, id)
	}
	x, err := lookup(a, ctx, o, id)
	if err != nil {
		if y := lookupInMemory(a, ctx, o, id); y != nil {
			x, err = y, nil
		}
	}
	if err == nil {
		p, err := o.entry(a, x)
		return []piece{p}, err
	}
	if unknown(err) && o.session == "" && blob.ValidID(id) {
		st, _, blobErr := a.OpenBlobs()
		if blobErr != nil {
			return nil, blobErr
		}
		p, blobErr := blobPiece(st, id, id)
		if !errors.Is(blobErr, blob.ErrNotFound) || len(id) >= blob.Short || errors.As(blobErr, new(*blob.DamagedError)) {
			return []piece{p}, blobErr // a shorter id may be an entry's
		}
	}
	if errors.As(err, new(*exit.Error)) || !errors.Is(err, history.ErrNotFound) {
		return nil, err
	}
	return nil, fmt.Errorf("expand %s: %w", id, err)
}

// slice reads the flags that select a part of the text.
func (o expandOptions) slice() (history.Slice, error) {
	s := history.Slice{Head: o.head, MaxBytes: o.maxBytes}
	if o.head < 0 || o.maxBytes < 0 {
		return s, exit.UsageError("pictx expand ID --head 20", "--head and --max-bytes must not be negative")
	}
	if o.lines != "" {
		r, err := history.ParseLineRange(o.lines)
		if err != nil {
			return s, exit.UsageError("pictx expand ID --lines 10-20", "%w", err)
		}
		s.Lines = &r
	}
	if o.grep != "" {
		re, err := history.CompileRegex(o.grep, false)
		if err != nil {
			return s, exit.UsageError("pictx expand ID --grep 'error|warn'", "%w", err)
		}
		s.Grep = re
	}
	return s, nil
}

// lookupInMemory finds the entry in the running sessions that pi keeps no file of. It
// returns nil if none or several of them have it.
func lookupInMemory(a *cli.Run, ctx context.Context, o expandOptions, id string) *history.Expanded {
	pl, err := a.Here()
	if err != nil || o.session != "" {
		return nil
	}
	files, _ := a.Sources().Find(workspace.EphemeralDir(pl.AgentDir))
	own := a.Env.Getenv("PI_SESSION_ID")
	var found *history.Expanded
	for _, f := range files {
		x, err := expandFile(a, ctx, f, id)
		switch {
		case err != nil:
		case x.Session == own:
			return x
		case found != nil && found.Row.EntryID != x.Row.EntryID:
			return nil
		default:
			found = x
		}
	}
	return found
}

// lookup finds the entry in a session file, or in the store.
func lookup(a *cli.Run, ctx context.Context, o expandOptions, id string) (*history.Expanded, error) {
	if o.session != "" && a.Sources().Has(a.Path(o.session)) {
		return expandFile(a, ctx, a.Path(o.session), id)
	}
	st, _, err := a.Store(ctx, sqlite.Read)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	var sessions []string
	if o.session != "" {
		row, err := workspace.FindSession(ctx, st, o.session)
		if err != nil {
			return nil, err
		}
		sessions = []string{row.ID}
	}
	x, err := history.Expand(ctx, st.Search, id, sessions)
	if errors.Is(err, history.ErrNotFound) {
		if row, unknown := workspace.FindSession(ctx, st, id); unknown == nil {
			return nil, exit.WithHint(exit.NotFound, "pictx export "+history.ShortSession(row.ID), fmt.Errorf("expand %s: this is a session, not an entry", id))
		}
	}
	return x, err
}

// expandFile finds an entry in a session file, which need not be in the store.
func expandFile(a *cli.Run, ctx context.Context, place, id string) (*history.Expanded, error) {
	if err := workspace.MayReadSession(a.Workspace, place); err != nil {
		return nil, err
	}
	s, err := workspace.MaskedSources(ctx, a.Workspace).Open(place)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return history.Expand(ctx, history.InSession(s), id, nil)
}

// entry returns the text of an entry, its line with --raw, or with --full all of an output that
// pi shortened.
func (o expandOptions) entry(a *cli.Run, x *history.Expanded) (piece, error) {
	p := piece{data: x.Text(), expandedEntry: expandedEntry{
		Session: x.Session, Entry: x.EntryID, Parent: x.ParentID, Type: string(x.Type), Role: string(x.Role),
		Tool: x.Tool, IsError: x.IsError, Time: text.KnownTime(x.Time), Images: x.Entry.Message.Content.Images,
	}}
	files := blob.CutOutputs(x.Raw)
	switch thinking := x.Entry.Thinking(x.Raw); {
	case o.full && (o.raw || len(files) == 0):
		return p, exit.WithHint(exit.NotFound, "pictx expand "+x.EntryID, fmt.Errorf("entry %s is complete: pi shortened nothing", x.EntryID))
	case o.raw:
		p.data = x.Raw
		return p, nil
	case thinking != "":
		p.note = fmt.Sprintf("the model's thinking (%s) is not shown; to see it: pictx expand %s --raw", text.Count(1+strings.Count(thinking, "\n"), "line"), x.EntryID)
	}
	if len(files) == 0 {
		return p, nil
	}
	st, _, err := a.Blobs()
	if err != nil {
		return p, err
	}
	id := ""
	for i := 0; i < len(files) && id == ""; i++ {
		id = st.CopyOf(files[i])
	}
	switch {
	case !o.full && id == "":
		return p, nil
	case !o.full:
		if i, err := st.Find(id); err == nil {
			p.note = fmt.Sprintf("pi shortened this output; for all of it, %s: pictx expand %s", text.Bytes(i.Bytes), blob.ShortID(id))
		}
		return p, nil
	case id == "":
		return p, exit.WithHint(exit.NotFound, "pictx expand "+x.EntryID, fmt.Errorf("expand %s: the whole output is not in the cache; pi left it in %s", x.EntryID, files[0]))
	}
	return blobPiece(st, id, x.EntryID)
}

// printPart prints a part of a text unchanged, and says how much is left out.
func printPart(a *cli.Run, data []byte, slice history.Slice) error {
	part, left := slice.Of(data)
	if err := slice.Missed(data, part); err != nil {
		return exit.WithHint(exit.NotFound, "", err)
	}
	if err := a.Out.Foreign(part); err != nil {
		return err
	}
	if a.Env.OutTerminal && len(part) > 0 && part[len(part)-1] != '\n' {
		a.Out.Printf("\n")
	}
	if err := a.Out.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	if end := slice.Beyond(data); end != "" {
		fmt.Fprintf(a.Env.Err, "pictx: %s\n", end)
	}
	if left > 0 {
		fmt.Fprintf(a.Env.Err, "pictx: %s of %s left out\n", text.Bytes(int64(left)), text.Bytes(int64(len(data))))
	}
	return nil
}

// blobPiece returns the text of the blob with an id. of names in an error what was asked for.
func blobPiece(st *blob.Store, id, of string) (piece, error) {
	b, err := st.Get(id)
	if err != nil {
		return piece{}, fmt.Errorf("expand %s: %w", of, err)
	}
	return piece{expandedEntry: expandedEntry{Entry: b.ID, Type: "blob", Time: text.KnownTime(b.Used.UnixMilli())}, data: b.Text}, nil
}

// outputFile returns the file of a full output that a pasted text names: "[Full output:
// /tmp/pi-bash-1.log]", or the path alone.
func outputFile(args []string) string {
	text := strings.TrimSpace(strings.Join(args, " "))
	if strings.HasPrefix(text, "/") {
		text = "Full output: " + text
	}
	if found := blob.CutOutputs([]byte(text)); len(found) > 0 {
		return found[0]
	}
	return ""
}

// fileCopy returns the stored copy of a file in which pi left a full output.
func fileCopy(a *cli.Run, path string) (piece, error) {
	st, _, err := a.Blobs()
	if err != nil {
		return piece{}, err
	}
	id := st.CopyOf(path)
	if id == "" {
		return piece{}, exit.WithHint(exit.NotFound, "pictx blobs list", fmt.Errorf("expand %s: no blob holds a copy of it", path))
	}
	return blobPiece(st, id, path)
}

// sourcesOf returns the sources of a summary unchanged: its messages, or the summaries below it.
func sourcesOf(a *cli.Run, ctx context.Context, id string) ([]piece, error) {
	st, _, err := a.Store(ctx, sqlite.Read)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	n, err := st.Summaries.Summary(ctx, id)
	if err != nil {
		return nil, err
	}
	sources, err := summary.Sources(ctx, st.Summaries, n, 1)
	var out []piece
	for _, s := range sources {
		out = append(out, piece{
			expandedEntry: expandedEntry{Session: n.Session, Entry: s.ID, Type: "source", Role: s.Label}, data: []byte(s.Text),
			heading: "== " + text.TerminalLine(s.ID+" ("+s.Label) + ")\n",
		})
	}
	return out, err
}

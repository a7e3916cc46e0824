package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/project"
	"github.com/coctostan/pictx/sqlite"
)

func (a *app) blobsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "blobs",
		GroupID: groupContext,
		Short:   "Look after the full text of results that were cut",
		Long: `What a session has only a part of is kept as a blob: a file under the SHA-256 of its
bytes, for all projects together. These are the outputs that pi cuts and leaves whole
in a temporary file, which the next start of the machine takes away: pictx expand
names the blob of such an entry, and pictx expand --full prints it. What the tools of
blobs.tools return is cut by pictx itself when it is longer than blobs.budget, and
says which blob is the whole of it: pictx expand ID prints that.

Blobs go when they were not used for blobs.max_age_days and no session names them,
and, the ones unused for longest first, when they take more than blobs.max_bytes.
What was removed is remembered: expand then says when and why.`,
		Example: "  pictx blobs list\n  pictx blobs show 3f9a2c1b77ab --head 40\n  pictx blobs purge --match 'api[_-]key'",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range []*cobra.Command{a.blobsList(), a.blobsShow(), a.blobsGC(), a.blobsPurge(), a.blobsVerify()} {
		cmd.AddCommand(c)
	}
	return cmd
}

// blobCache is the cache of the settings.
func (a *app) blobCache(c config.Blobs, agentDir string) *blob.Store {
	dir := filepath.FromSlash(c.Dir)
	if rest, ok := strings.CutPrefix(c.Dir, "~"); ok {
		dir = filepath.Join(a.env.Getenv("HOME"), rest)
	}
	if dir == "" {
		dir = filepath.Join(agentDir, "pictx", "blobs")
	}
	return blob.At(dir, a.env.Now)
}

// blobs opens the cache.
func (a *app) blobs() (*blob.Store, config.Blobs, place, error) {
	pl, err := a.place()
	if err != nil {
		return nil, config.Blobs{}, pl, err
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil, config.Blobs{}, pl, err
	}
	a.warn(set)
	return a.blobCache(set.Config.Blobs, pl.agentDir), set.Config.Blobs, pl, nil
}

// blobJSON is a blob as JSON.
type blobJSON struct {
	ID       string   `json:"id"`
	Bytes    int64    `json:"bytes"` // of the text, -1 when only reading it would tell
	Stored   int64    `json:"stored_bytes"`
	Used     string   `json:"used"`
	Path     string   `json:"path"`
	Sessions []string `json:"sessions"` // files that are known to name it
}

func blobLine(st *blob.Store, i blob.Info) blobJSON {
	return blobJSON{i.ID, i.Bytes, i.Stored, text.KnownTime(i.Used.UnixMilli()), i.Path, append([]string{}, st.Sessions(i.ID)...)}
}

func (a *app) blobsList() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the blobs",
		Long: `Lists the blobs, the latest used first: the beginning of the id, the last use, the
size of the text and what it takes on disk. --json prints an object a line, with the
whole id, the file and the sessions that are known to name it.`,
		Example:     "  pictx blobs list\n  pictx blobs list --json | jq -r .id",
		Annotations: exits("3"),
		Args:        noArgs,
		RunE:        func(*cobra.Command, []string) error { return a.runBlobsList() },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runBlobsList() error {
	st, _, _, err := a.blobs()
	if err != nil {
		return err
	}
	all, err := st.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return withHint(exitNotFound, "", errors.New("there are no blobs"))
	}
	if a.json {
		for _, i := range all {
			if err := a.out.line(blobLine(st, i)); err != nil {
				return err
			}
		}
		return nil
	}
	cells := [][]string{{"BLOB", "USED", "SIZE", "ON DISK"}}
	for _, i := range all {
		cells = append(cells, []string{blob.ShortID(i.ID), text.LocalMinute(i.Used.UnixMilli()), text.Bytes(i.Bytes), text.Bytes(i.Stored)})
	}
	a.out.fittedTable(cells, 2, 3)
	return nil
}

func (a *app) blobsShow() *cobra.Command {
	var o expandOptions
	file := ""
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print the text of a blob, byte for byte",
		Long: `Prints the text of a blob, as pictx expand does, or writes it to a file with -o.
ID is the id or the beginning of one, at least 8 digits. The text is checked against
its id before it is given out.`,
		Example:           "  pictx blobs show 3f9a2c1b77ab --grep error\n  pictx blobs show 3f9a2c1b77ab -o result.txt",
		Annotations:       exits("3"),
		Args:              someArgs(1, 1),
		ValidArgsFunction: a.blobWords,
		RunE:              func(_ *cobra.Command, args []string) error { return a.runBlobsShow(o, file, args[0]) },
	}
	o.partFlags(cmd.Flags())
	cmd.Flags().StringVarP(&file, "output", "o", "", "write it to this `file`")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runBlobsShow(o expandOptions, file, id string) error {
	slice, err := o.slice()
	if err != nil {
		return err
	}
	st, _, _, err := a.blobs()
	if err != nil {
		return err
	}
	b, err := st.Get(markerID([]string{id}))
	if err != nil {
		return fmt.Errorf("show blob %s: %w", id, err)
	}
	part, left := slice.Of(b.Text)
	if file != "" {
		if err := writeFile(a.path(file), part, 0o600); err != nil {
			return err
		}
	}
	if !a.json {
		if file != "" {
			return nil
		}
		return a.printPart(b.Text, slice)
	}
	return a.out.line(shownBlobJSON{blobLine(st, b.Info), string(part), left})
}

// shownBlobJSON is what show prints as JSON.
type shownBlobJSON struct {
	blobJSON
	Text    string `json:"text"`
	LeftOut int    `json:"left_out"` // bytes that are not in text
}

// blobWords completes the id of a blob.
func (a *app) blobWords(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	const most = 50
	pl, err := a.place()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, _ := a.blobCache(set.Config.Blobs, pl.agentDir).List() // what cannot be listed completes nothing
	var out []string
	for _, i := range all {
		if strings.HasPrefix(i.ID, prefix) && len(out) < most {
			word := i.ID[:max(blob.Short, len(prefix))]
			out = append(out, word+"\t"+text.LocalMinute(i.Used.UnixMilli())+" "+text.Bytes(i.Bytes))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// expandBlob finds the blob that an id means which no entry has, nil when there is
// none either. missing is what looking for the entry gave.
func (a *app) expandBlob(o expandOptions, id string, missing error) (*blob.Blob, error) {
	unknown := errors.Is(missing, history.ErrNotFound) || errors.Is(missing, sqlite.ErrNoStore)
	if !unknown || !blob.ValidID(id) || o.session != "" {
		return nil, nil
	}
	pl, err := a.place()
	if err != nil {
		return nil, err
	}
	set, err := a.loadSettings(pl)
	if err != nil {
		return nil, err
	}
	b, err := a.blobCache(set.Config.Blobs, pl.agentDir).Get(id)
	if errors.Is(err, blob.ErrNotFound) && !errors.As(err, new(*blob.GoneError)) && !errors.As(err, new(*blob.DamagedError)) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("expand %s: %w", id, err)
	}
	if o.images != "" {
		return nil, withHint(exitNotFound, "", fmt.Errorf("blob %s has no images", blob.ShortID(b.ID)))
	}
	return b, nil
}

// printBlob prints a blob as printExpanded prints an entry.
func (a *app) printBlob(b *blob.Blob, o expandOptions, slice history.Slice) error {
	if b == nil {
		return nil
	}
	if !a.json {
		return a.printPart(b.Text, slice)
	}
	part, left := slice.Of(b.Text)
	v := expandedJSON{Entry: b.ID, Type: "blob", Time: text.KnownTime(b.Used.UnixMilli()), TextBytes: len(b.Text), LeftOut: left}
	if o.raw {
		v.Raw = string(part)
	} else {
		v.Text = string(part)
	}
	return a.out.line(v)
}

// namedBlobs returns a function that reports whether a session that exists names a
// blob. Files that the cache knows of are asked after first. Only when none of them
// is left all sessions of pi are read, once: a copy of a session names what it did.
func (a *app) namedBlobs(ctx context.Context, st *blob.Store, agentDir string) func(id string) bool {
	var named map[string]string
	var unread error
	return func(id string) bool {
		for _, file := range st.Sessions(id) {
			if regularFile(file) {
				return true
			}
		}
		if named == nil {
			named, unread = a.blobsInSessions(ctx, agentDir)
		}
		file, ok := named[id]
		for _, source := range st.Sources(id) {
			if !ok {
				file, ok = named[source]
			}
		}
		if ok {
			st.Name(id, file)
		}
		return ok || unread != nil // what was not read may name it
	}
}

// tempDir is where programs of Node put what is temporary.
func (a *app) tempDir() string {
	dir := cmp.Or(a.env.Getenv("TMPDIR"), a.env.Getenv("TMP"), a.env.Getenv("TEMP"), os.TempDir())
	return filepath.Clean(dir)
}

// hookBlobs is the system that keeps what the hooks cut.
func (a *app) hookBlobs() hooks.Blobs {
	agentDir, _ := project.AgentDir(a.env.Getenv) // without it no event has a project either
	return hooks.Blobs{
		Cache:   func(c config.Blobs) *blob.Store { return a.blobCache(c, agentDir) },
		Named:   func(ctx context.Context, st *blob.Store) func(string) bool { return a.namedBlobs(ctx, st, agentDir) },
		TempDir: a.tempDir(),
	}
}

package commands

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/sqlite"
)

// isFile reports whether there is a file at a path.
func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func (a *app) historyBackup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the store into a file",
		Long: `Copies this project's store into a new file, as it is at one moment, while agents
go on writing to it. The blobs are files of their own and are not in it.`,
		Example:     "  pictx history backup ~/shop-history.db",
		Annotations: exits("5 10 11 12"),
		Args:        someArgs(1, 1),
		RunE:        func(cmd *cobra.Command, args []string) error { return a.runHistoryBackup(cmd.Context(), args[0]) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// historyBackupJSON is what history backup prints as JSON.
type historyBackupJSON struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func (a *app) runHistoryBackup(ctx context.Context, file string) error {
	to := a.path(file)
	if _, err := os.Lstat(to); err == nil {
		return withHint(exitRefused, "pictx history backup ANOTHER", fmt.Errorf("back up store: %s is there already", file))
	}
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	if err = errors.Join(st.Backup(ctx, to), st.Close()); err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	v := historyBackupJSON{to, info.Size()}
	return a.out.emit(v, func(w *out) { w.printf("wrote %s, %s\n", oneLine(v.File), bytesText(v.Bytes)) })
}

func (a *app) historyRestore() *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the store",
		Long: `Checks a backup and makes it this project's store. The store that is there is kept
beside it, with the time in its name. What pi's session files have beyond the backup
comes back with pictx import.`,
		Example:     "  pictx history restore ~/shop-history.db && pictx import",
		Annotations: exits("5 11 12"),
		Args:        someArgs(1, 1),
		RunE:        func(cmd *cobra.Command, args []string) error { return a.runHistoryRestore(cmd.Context(), args[0], yes) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	a.jsonFlag(cmd)
	return cmd
}

// historyRestoreJSON is what history restore prints as JSON.
type historyRestoreJSON struct {
	Store string `json:"store"`
	Kept  string `json:"kept"` // where the store is that was there, "" for none
}

func (a *app) runHistoryRestore(ctx context.Context, file string, yes bool) error {
	pl, err := a.place()
	if err != nil {
		return err
	}
	from, to := a.path(file), pl.StorePath(pl.agentDir)
	if !isFile(from) {
		return fmt.Errorf("restore store: %w", &os.PathError{Op: "open", Path: file, Err: os.ErrNotExist})
	}
	detail := fmt.Sprintf("%s becomes %s.", from, to)
	if isFile(to) {
		detail += " The store that is there is kept beside it."
	}
	if err := a.confirm(ctx, yes, "Restore "+file+"?", detail); err != nil {
		return err
	}
	v := historyRestoreJSON{Store: to}
	if v.Kept, err = sqlite.Restore(ctx, from, to, a.env.Now); errors.Is(err, sqlite.ErrOlder) {
		return withHint(exitDamaged, "pictx import", err) // a copy cannot be migrated
	} else if err != nil {
		return err
	}
	return a.out.emit(v, func(w *out) {
		w.printf("restored %s\n", oneLine(file))
		if v.Kept != "" {
			w.printf("the store that was there is %s\n", oneLine(v.Kept))
		}
	})
}

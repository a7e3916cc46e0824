package sqlite

import (
	"context"
	"time"
)

// OpenAfter is Open by a later program, which has these migrations besides.
func OpenAfter(ctx context.Context, path string, mode Mode, later ...string) (*DB, error) {
	return openMigrated(ctx, path, mode, time.Now, append(migrations(), later...))
}

// Migrations are those of this program.
func Migrations() []string { return migrations() }

// Marked reports whether a writer that an agent waits for is waiting for a store.
func Marked(path string) bool { return marked(path) }

// MarkSuffix makes the path of a mark from that of the store.
const MarkSuffix = markSuffix

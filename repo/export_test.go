package repo

import "context"

// LookFor looks for what git may be waiting for.
func LookFor(ctx context.Context, dir string) error {
	return (&looker{ctx: ctx}).repository(dir)
}

package workspace

import (
	"context"
	"errors"
	"time"

	"github.com/coctostan/pictx/core/summary"
)

// HoldLease renews the lease of a run until stop is called, which returns why it was
// lost. The returned context ends when it is: what a model would still be asked is
// not stored any more.
func HoldLease(ctx context.Context, job *summary.Job) (held context.Context, stop func() error) {
	held, cancel := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		tick := time.NewTicker(RenewEvery)
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				over <- nil
				return
			case <-tick.C:
			}
			// A store that is busy now is not so in two seconds.
			if err := job.Renew(held); errors.Is(err, summary.ErrFenced) {
				cancel()
				over <- err
				return
			}
		}
	}()
	return held, func() error {
		cancel()
		return <-over
	}
}

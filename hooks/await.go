package hooks

import (
	"context"
	"errors"
	"fmt"
)

// ErrLate is returned for work that was not done before its context was.
var ErrLate = errors.New("too late")

// Await runs fn, and does not wait for it any longer than its context allows, whether or not fn
// heeds that. It turns a panic into an error.
func Await[T any](ctx context.Context, fn func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("internal error: %v", p)
			}
			done <- r
		}()
		if ctx.Err() == nil {
			r.value, r.err = fn(ctx)
		}
	}()
	var none T
	select {
	case <-ctx.Done():
	case r := <-done:
		if r.err != nil {
			return none, r.err
		}
		if ctx.Err() == nil {
			return r.value, nil
		}
	}
	return none, fmt.Errorf("%w: %w", ErrLate, ctx.Err())
}

//go:build !linux && !darwin

package pi

import "errors"

// exchange cannot be done here.
func exchange(string, string) error { return errors.ErrUnsupported }

//go:build !cgo

package sqlite

// A binary without cgo would build and then fail at its first use of the
// database. This name is not defined, so that the build fails and says why.
var _ = pictx_needs_cgo__install_a_C_compiler_and_build_with_CGO_ENABLED_1

//go:build !cgo

package sqlite

// Without cgo the program would compile and then fail at its first use of the database.
// This undefined name makes the build fail with an explanation instead.
var _ = pictx_needs_cgo__install_a_C_compiler_and_build_with_CGO_ENABLED_1

// setUpConnections is undefined without cgo, too, which would explain nothing.
func setUpConnections() {}

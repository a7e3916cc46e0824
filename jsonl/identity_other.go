//go:build !unix

package jsonl

import "io/fs"

// identity is empty where files have no number: size and time must do.
func identity(fs.FileInfo) string { return "" }

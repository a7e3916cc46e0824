package commands

import (
	"testing"

	"github.com/coctostan/pictx/commands/cli"
)

// BenchmarkRoot is what building the command tree costs every start.
func BenchmarkRoot(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		Root(&cli.Env{})
	}
}

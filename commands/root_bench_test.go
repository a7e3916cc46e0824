package commands

import "testing"

// BenchmarkRoot is what building the command tree costs every start.
func BenchmarkRoot(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		Root(&Env{})
	}
}

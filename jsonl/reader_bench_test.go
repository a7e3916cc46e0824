package jsonl

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/coctostan/pictx/core/message"
)

func BenchmarkReadSession(b *testing.B) {
	data, err := os.ReadFile("/work/shared/sessions/pi-mono-before-compaction.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := NewReader(bytes.NewReader(data), message.Position{})
		for {
			_, err := r.Next()
			if err == io.EOF {
				break
			}
		}
	}
}

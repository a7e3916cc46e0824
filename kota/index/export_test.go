package index

import (
	"bytes"

	"github.com/coctostan/pictx/kota/index/codec"
)

// Decode reads bytes that may be an index.
func Decode(b []byte) {
	t, err := decode(bytes.NewReader(sealed(b)), int64(len(b)))
	if err != nil {
		return
	}
	for i := range t.files {
		if t.files[i].facts != "" {
			codec.DecodeFacts(t.files[i].facts, codec.WithImports|codec.WithDecls|codec.WithUses)
			codec.UsesOf(t.files[i].facts, "x")
			t.files[i].header()
		}
	}
	newView(Files{}, t)
}

// sealed sets a valid checksum, so that the bytes after it are read.
func sealed(b []byte) []byte {
	if len(b) < len(magic)+4 {
		return b
	}
	t := append([]byte(nil), b...)
	codec.Seal(t, magic)
	return t
}

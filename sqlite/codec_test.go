package sqlite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// What was packed with the dictionary is read with it, years later.
func TestTheDictionaryIsTheOneThatStoresWerePackedWith(t *testing.T) {
	const want = "31ac333fe255e9e6"
	if sum := sha256.Sum256(dictionary); hex.EncodeToString(sum[:8]) != want {
		t.Errorf("the dictionary is %x: stores that exist cannot be read with it; make another codec", sum[:8])
	}
}

func TestTextsOfEveryCodecComeBack(t *testing.T) {
	var c DB
	line := must.Get(os.ReadFile("../testdata/sessions/notes-1.5.jsonl"))(t)
	for _, text := range [][]byte{nil, []byte("short"), line[:300], line, bytes.Repeat([]byte{0, 255, 7}, 5000), []byte(strings.Repeat("x", 1<<20))} {
		kind, data, err := c.Pack(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Unpack(kind, data, nil); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes, codec %d: %v", len(text), kind, err)
		}
	}
	if _, err := c.Unpack(9, line, nil); err == nil {
		t.Error("an unknown codec is read")
	}
}

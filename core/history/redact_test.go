package history_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
)

// Only what connects entries may keep a match: a time that is none does not.
func TestEveryStringOfALineIsMaskedButWhatConnectsEntries(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"message","id":"a","x":"my key","message":{"role":"user","content":"key"},"y":{"id":"key"}}`: `{"type":"message","id":"a","x":"my [redacted]","message":{"role":"user","content":"[redacted]"},"y":{"id":"[redacted]"}}`,
		`{"type":"label","id":"key1","parentId":"key2","targetId":"key3","label":"key"}`:                      `{"type":"label","id":"key1","parentId":"key2","targetId":"key3","label":"[redacted]"}`,
		`{"type":"custom","id":"a","timestamp":"key","data":[{"key":"\u006bey"}]}`:                            `{"type":"custom","id":"a","timestamp":"[redacted]","data":[{"[redacted]":"[redacted]"}]}`,
		`{"type":"custom","id":"a","key":"v","data":["a","key"]}`:                                             `{"type":"custom","id":"a","key":"v","data":["a","[redacted]"]}`,
	} {
		if got, _ := history.Redact([]byte(line), regexp.MustCompile(`key`)); string(got) != want {
			t.Errorf("%s\nbecame %s\nwant   %s", line, got, want)
		}
	}
	const line = `{"type":"custom","id":"a","timestamp":"2026-03-02T09:00:00.000Z","data":"in 2026"}`
	if got, _ := history.Redact([]byte(line), regexp.MustCompile(`2026`)); string(got) != strings.Replace(line, "in 2026", "in [redacted]", 1) {
		t.Errorf("became %s", got)
	}
}

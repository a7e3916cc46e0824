package search

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
)

// allocated returns how many bytes a call allocates once its buffers have grown.
func allocated(n int, fn func()) uint64 {
	fn()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		fn()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(n)
}

// A scan reads a million texts: a line and its text are in the same memory as those before.
func TestReadingATextTakesNoMemoryForIt(t *testing.T) {
	long := strings.Repeat(`the \"order\" was paid\n`, 4000)
	for _, line := range []string{
		fmt.Sprintf(`{"type":"message","id":"a","message":{"role":"user","content":"%s"}}`, long),
		fmt.Sprintf(`{"type":"message","id":"a","message":{"role":"toolResult","toolName":"read","content":[{"type":"text","text":"%s"}]}}`, long),
		fmt.Sprintf(`{"type":"message","id":"a","message":{"role":"bashExecution","command":"ls","output":"%s"}}`, long),
	} {
		st := New(nil)
		raw := []byte(line)
		if n := allocated(20, func() { st.read(raw, func(*message.Entry, []byte) {}) }); n > uint64(len(line))/4 {
			t.Errorf("%d bytes for a line of %d: %.80s", n, len(line), line)
		}
	}
}

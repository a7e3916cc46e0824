package raw

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/hooks"
)

// pattern is n bytes of which no chunk is like another.
func pattern(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return out
}

func readBack(t *testing.T, s *spool, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := s.ReadAt(got, 0); n != len(want) || err != nil || !bytes.Equal(got, want) {
		t.Fatalf("read %d of %d bytes, error %v, same %v", n, len(want), err, bytes.Equal(got, want))
	}
	at := int64(len(want) - 100)
	if n, err := s.ReadAt(got[:200], at); n != 100 || err != io.EOF || !bytes.Equal(got[:100], want[at:]) {
		t.Errorf("at the end: read %d, error %v", n, err)
	}
}

func TestASpoolKeepsWhatDoesNotFitInAFileWithoutAName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	data := pattern(memoryLimit + 5*bufferSize/2)
	var s spool
	for part := range bytes.Lines(data) {
		_, _ = s.Write(part)
	}
	defer s.close()
	if s.inFile != int64(len(data)-memoryLimit) {
		t.Errorf("%d of %d bytes in the file", s.inFile, len(data))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	readBack(t, &s, data)
}

func TestASpoolWithoutAFileStaysInMemory(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	data := pattern(memoryLimit + 3*bufferSize + 1)
	var s spool
	_, _ = s.Write(data)
	if s.inFile > 0 {
		t.Skip("this system has another place for temporary files")
	}
	readBack(t, &s, data)
}

func TestASpoolWhoseFileFailsGoesOnInMemory(t *testing.T) {
	data := pattern(memoryLimit + 6*bufferSize + 1)
	half := memoryLimit + 2*bufferSize
	var s spool
	_, _ = s.Write(data[:half])
	broken := s.file
	readOnly, err := os.Open("/proc/self/fd/" + fd(broken))
	if err != nil {
		t.Skip("no /proc")
	}
	s.file = readOnly // a full disk: writing fails, reading does not
	defer func() { _ = broken.Close() }()
	defer s.close()
	_, _ = s.Write(data[half:])
	if s.inFile != 2*bufferSize || !s.noFile {
		t.Errorf("%d bytes in the file", s.inFile)
	}
	readBack(t, &s, data)
}

func fd(f *os.File) string {
	n, digits := int(f.Fd()), ""
	for ; n > 0; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return digits
}

// measure returns the most heap that was in use while an event was planned or
// written, and all that was ever allocated for it.
func measure(t *testing.T, h Filter, event string, data []byte) (live, total uint64) {
	t.Helper()
	var stats runtime.MemStats
	inUse := func() uint64 {
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before, most := inUse(), uint64(0)
	allocated := stats.TotalAlloc
	if plan := h.Plan; plan != nil {
		h.Plan = func(m []policy.Message) policy.Plan {
			p := plan(m)
			most = max(most, inUse())
			runtime.KeepAlive(m)
			return p
		}
	}
	written := false
	out := writerFunc(func(p []byte) (int, error) {
		if !written {
			most, written = max(most, inUse()), true
		}
		return len(p), nil
	})
	if _, err := h.Run(context.Background(), event, pipe{bytes.NewReader(data)}, out); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&stats)
	runtime.KeepAlive(data)
	return most - min(before, most), stats.TotalAlloc - allocated
}

func TestMemoryDoesNotGrowWithAnEventThatPassesThrough(t *testing.T) {
	const limit = memoryLimit + 1<<20
	for _, size := range []int{10 << 20, 40 << 20} {
		live, total := measure(t, Filter{}, "turn_end", bigEvent(size))
		if live > limit || total > 2*limit {
			t.Errorf("%d MB: %d KB in use, %d KB allocated", size>>20, live>>10, total>>10)
		}
	}
}

func TestAContextOfTenMegabytesTakesAtMostEightInMemory(t *testing.T) {
	h := Filter{Plan: seedPlanner().Plan}
	live, total := measure(t, h, hooks.EventContext, bigEvent(10<<20))
	if live > 8<<20 || total > 16<<20 {
		t.Errorf("%d KB in use, %d KB allocated", live>>10, total>>10)
	}
	t.Logf("%d KB in use, %d KB allocated", live>>10, total>>10)
}

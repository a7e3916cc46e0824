package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

func TestGetReturnsTheTextByteForByte(t *testing.T) {
	s, _ := cache(t)
	for name, text := range map[string]string{
		"empty": "", "short": "a\r\nb\x00\xff", "long": strings.Repeat("line of a log\n", 5000), "noise": noise(20_000),
	} {
		i := put(t, s, text)
		sum := sha256.Sum256([]byte(text))
		if want := hex.EncodeToString(sum[:]); i.ID != want || i.Bytes != int64(len(text)) || i.Path != filepath.Join(s.Dir(), want[:2], want+".zst") {
			t.Errorf("%s: kept as %+v, want %s with %d bytes", name, i, want, len(text))
		}
		if st, err := os.Stat(i.Path); err != nil || st.Size() != i.Stored || i.Stored > i.Bytes+32 {
			t.Errorf("%s: %v, said to take %d bytes", i.Path, err, i.Stored)
		}
		b, err := s.Get(i.ID[:Short])
		if err != nil || string(b.Text) != text || b.ID != i.ID || b.Bytes != int64(len(text)) {
			t.Errorf("%s: came back as %d bytes, %v", name, len(b.Text), err)
		}
	}
}

// Holds prune 46.
// Holds history 77.
func TestSameTextIsStoredOnce(t *testing.T) {
	s, c := cache(t)
	for _, text := range []string{"short", strings.Repeat("long ", 5000)} {
		first := put(t, s, text)
		c.advance(time.Hour)
		second := put(t, s, text)
		if first.Path != second.Path || !second.Used.Equal(c.now()) {
			t.Errorf("%+v, then %+v", first, second)
		}
	}
	if files := tree(t, s.Dir()); len(files) != 2 {
		t.Errorf("there are %q", files)
	}
}

// Holds prune 46.
func TestConcurrentWritersLeaveOneValidFile(t *testing.T) {
	s, _ := cache(t)
	text := strings.Repeat("the same text\n", 2000)
	var all sync.WaitGroup
	errs := make(chan error, 32)
	for range 32 {
		all.Go(func() {
			_, err := s.Put(t.Context(), []byte(text), "")
			errs <- err
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if files := tree(t, s.Dir()); len(files) != 1 || !holds(t, s, text) {
		t.Errorf("there are %q", files)
	}
}

// twins are two texts whose ids begin alike.
func twins(t *testing.T) (a, b string) {
	seen := make(map[string]string)
	for n := range 2_000_000 {
		text := fmt.Sprint("text ", n)
		prefix := idOf([]byte(text))[:minID]
		if other, ok := seen[prefix]; ok {
			return other, text
		}
		seen[prefix] = text
	}
	t.Fatal("there are no twins")
	return "", ""
}

func TestAnAmbiguousIDListsItsCandidates(t *testing.T) {
	s, _ := cache(t)
	a, b := twins(t)
	ids := []string{put(t, s, a).ID, put(t, s, b).ID}
	slices.Sort(ids)
	var many *AmbiguousError
	if _, err := s.Get(ids[0][:minID]); !errors.As(err, &many) || !slices.Equal(many.IDs, ids) || !strings.Contains(err.Error(), ids[1]) {
		t.Errorf("got %v", err)
	}
	for n := minID; n <= idLength; n++ {
		if b, err := s.Get(ids[0][:n]); ids[0][:n] != ids[1][:n] && (err != nil || b.ID != ids[0]) {
			t.Fatalf("%d digits: %v", n, err)
		}
	}
}

// Holds prune 48.
func TestDamagedBlobIsReportedAsMissing(t *testing.T) {
	for name, text := range map[string]string{"plain": "a short text", "compressed": strings.Repeat("a long text\n", 1000)} {
		t.Run(name, func(t *testing.T) {
			s, _ := cache(t)
			i := put(t, s, text)
			data := must.Get(os.ReadFile(i.Path))(t)
			for _, bad := range []string{"", string(data[:len(data)/2]), strings.Repeat("z", len(data)), string(data) + "x"} {
				write(t, i.Path, bad)
				var damaged *DamagedError
				if _, err := s.Get(i.ID); !errors.As(err, &damaged) || !errors.Is(err, ErrNotFound) || damaged.Path != i.Path {
					t.Errorf("%d bytes: %v", len(bad), err)
				}
				var found []Finding
				if n, err := s.Verify(t.Context(), func(f Finding) { found = append(found, f) }); n != 1 || err != nil || len(found) != 1 || found[0].ID != i.ID {
					t.Errorf("verify: %d, %v, %+v", n, err, found)
				}
			}
			// It is written again when the text comes again.
			put(t, s, text)
			if !holds(t, s, text) {
				t.Error("the text was not kept anew")
			}
		})
	}
}

func TestPutRefusesTextsThatAreTooLarge(t *testing.T) {
	s, _ := cache(t)
	if _, err := s.Put(t.Context(), make([]byte, MaxText+1), ""); err == nil {
		t.Error("it was kept")
	}
	if files := tree(t, s.Dir()); len(files) != 0 {
		t.Errorf("there is %q", files)
	}
}

func TestSessionsListsEachSessionOnce(t *testing.T) {
	s, _ := cache(t)
	for _, session := range []string{"/s/one.jsonl", "/s/two.jsonl", "/s/one.jsonl", "", "/s/bad\nname"} {
		must.Get(s.Put(t.Context(), []byte("text"), session))(t)
	}
	id := idOf([]byte("text"))
	s.Name(id, "/s/three.jsonl")
	must.Match(t, s.Sessions(id), []string{"/s/one.jsonl", "/s/two.jsonl", "/s/three.jsonl"}, "what it says")
	for n := range 2000 {
		s.Name(id, fmt.Sprintf("/s/%d/%s.jsonl", n, strings.Repeat("x", 100)))
	}
	if st, err := os.Stat(filepath.Join(s.Dir(), fileOf(id, namedEnd))); err != nil || st.Size() > maxNames+1000 {
		t.Errorf("the list has %d bytes, %v", st.Size(), err)
	}
	if _, err := s.Purge(t.Context(), []string{id}); err != nil || len(s.Sessions(id)) != 0 {
		t.Errorf("a list stayed: %v", err)
	}
}

func TestBlobsOfOtherProjectsAreNotFound(t *testing.T) {
	st := At(t.TempDir(), time.Now)
	ids := map[string]string{}
	for _, session := range []string{"ours", "theirs", "gone", ""} {
		info := must.Get(st.Put(t.Context(), []byte("output of "+session), session))(t)
		ids[session] = info.ID
	}
	shared := must.Get(st.Put(t.Context(), []byte("output of both"), "theirs"))(t)
	st.Name(shared.ID, "ours")
	ids["both"] = shared.ID
	within := st.Within(func(session string) (own, known bool) { return session == "ours", session != "gone" })
	for session, id := range ids {
		_, err := within.Get(id[:8])
		if hidden := errors.Is(err, ErrNotFound); hidden != (session == "theirs") {
			t.Errorf("%q: %v", session, err)
		}
	}
	if all, err := within.List(); err != nil || len(all) != len(ids)-1 {
		t.Errorf("%d are listed, %v", len(all), err)
	}
}

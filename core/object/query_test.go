package object_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
)

func queryNow() time.Time {
	return time.Date(2026, 11, 22, 10, 30, 0, 0, time.FixedZone("", 5*3600+1800))
}

func version(d *object.Document, k object.Key) *object.Version {
	v := &object.Version{Object: object.Object{ID: object.NewID(k, 0), Key: k}, Doc: *d, Size: -1}
	if d.Content != nil {
		v.Size = int64(len(d.Content))
	}
	return v
}

func TestQueriesSelectMatchingVersions(t *testing.T) {
	src := file("/w/src/retry.go", "const retries = 3")
	failed := toolcall("bash", "make test")
	failed.Toolcall.Status = object.StatusFail
	failed.Content = []byte(strings.Repeat("x", 20_000))
	all := map[string]*object.Version{
		"src":  version(src, object.FileKey("", "/w/src/retry.go")),
		"gone": version(&object.Document{Kind: object.KindFile, Deleted: true}, object.FileKey("", "/w/old.txt")),
		"call": version(failed, object.ToolcallKey("01a1fe4b", "e", "c")),
		"chat": version(&object.Document{Kind: object.KindChat, Chat: &object.Chat{}}, object.ChatKey("01a1fe4b")),
	}
	all["src"].Nickname = "Plan"
	for query, want := range map[string]string{
		"":                       "src gone call chat",
		"type:file":              "src gone",
		"type:file,chat":         "src gone chat",
		"-type:file,chat":        "call",
		"type:file type:chat":    "",
		"path:*.go":              "src",
		"path:src/**":            "src",
		"path:/w/*":              "gone",
		"-path:*.go type:file":   "gone",
		"tool:ba*":               "call",
		"status:fail":            "call",
		"status:deleted":         "gone",
		"session:01a1":           "call chat",
		"-session:01a1":          "src gone",
		"nick:PLAN":              "src",
		"nick:*":                 "src",
		"size:>10k":              "call",
		"size:<=17":              "src",
		"size:17":                "src",
		"-size:>=0":              "gone chat",
		"retry":                  "src",
		`"make test"`:            "call",
		`"test make"`:            "",
		"ret*":                   "src",
		"-plan type:file":        "gone",
		`path:"*.go"`:            "src",
		"::":                     "src gone call chat",
		"http://x":               "",
		"std::vector type:chat":  "",
		"  type:file \n retry\t": "src",
	} {
		q, err := object.ParseQuery(query, queryNow())
		if err != nil {
			t.Errorf("%q: %v", query, err)
			continue
		}
		var got []string
		for _, name := range []string{"src", "gone", "call", "chat"} {
			v, ok := all[name], q.Matches(all[name])
			for _, w := range q.Words {
				ok = ok && w.InCatalogue(v) != w.Not
			}
			if ok {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", query, got, want)
		}
	}
	for _, bad := range []string{"type:directory", "tpye:file", "type:", "at:noon", "at:1h at:2h", "known:1h", "-at:1h", "size:big", "size:=>1", "size:99999999999999g", "path:[", "status:bad", "state:on", "-"} {
		if _, err := object.ParseQuery(bad, queryNow()); !errors.Is(err, object.ErrQuery) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParseTimeReadsThePrintedTimeOfAVersion(t *testing.T) {
	at := object.Time(1_795_163_645_250_123) // 2026-11-20T08:34:05.250123Z
	for _, printed := range []string{
		at.Std().Format(text.SecondForm), at.Std().Local().Format(text.SecondForm), text.Time(int64(at) / 1000), at.Std().Format(time.RFC3339),
	} {
		if got, err := object.ParseTime(printed, queryNow()); err != nil || got < at || got > at+1_000_000 {
			t.Errorf("%s: %s, %v", printed, got.Std(), err)
		}
	}
	if got, err := object.ParseTime("2h", queryNow()); err != nil || got.Std().Hour() != 3 {
		t.Errorf("two hours ago: %s, %v", got.Std(), err)
	}
	for _, bad := range []string{"", "x", "-1h", "2026-13-01", "0001-01-01"} {
		if got, err := object.ParseTime(bad, queryNow()); err == nil {
			t.Errorf("%q is %s", bad, got.Std())
		}
	}
}

// Whatever is asked, it is answered or refused; and every word that is asked for is
// asked for.
func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"", `type:file -path:"a b/**" "x y" size:>10k at:2h`, `-`, `"`, `a:"`, "at:2026-11-20T14:00:05.1234567Z", "nick:\xff", "tool:{a,b"} {
		f.Add(s)
	}
	v := version(file("/w/a", "x"), object.FileKey("", "/w/a"))
	f.Fuzz(func(t *testing.T, text string) {
		q, err := object.ParseQuery(text, queryNow())
		if err != nil {
			if !errors.Is(err, object.ErrQuery) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		_ = q.Matches(v)
		for _, w := range q.Words {
			if len(w.Words) == 0 {
				t.Errorf("%q asks for no word", text)
			}
			_ = w.Holds(text)
		}
	})
}

package likeness

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The log of a clone may contain any text.
func FuzzAnyTwoTextsAreComparedAndTheReasonStaysOnItsLine(f *testing.F) {
	f.Add("Use Redis, not Memcached, without TLS", "Never deploy at 10:00 or 25:99 am")
	f.Add("uuidv7 v v1 §time ¬ ¦ ¦ no", "ADR-7: TLS 1.2, e.g. because")
	f.Add("don't need, and never\x1b[31m", "Because , so that")
	x := newLexicon()
	f.Fuzz(func(t *testing.T, a, b string) {
		const long = 300 // bytes
		if len(a) > long || len(b) > long || !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		one := x.features(a)
		l, ok := one.compare(x.features(b))
		if ok && (l.Score <= 0 || l.Score > 1 || l.Class == "" || l.Why == "") {
			t.Errorf("%+v", l)
		}
		if strings.ContainsAny(l.Why, "\n\r\x1b") {
			t.Errorf("%q", l.Why)
		}
		if same, ok := one.compare(x.features(a)); !ok || same.Class != Duplicate {
			t.Errorf("a text is not like itself: %v %+v", ok, same)
		}
	})
}

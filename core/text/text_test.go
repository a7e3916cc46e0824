package text

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/must"
)

func TestNumbersAreGroupedAndRounded(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		must.Equal(t, Thousands(n), want, "Thousands(%d)", n)
	}
	for n, want := range map[int64]string{-1: "?", 0: "0 B", 999: "999 B", 1000: "1.0 KB", 1234567: "1.2 MB", 2e9: "2.0 GB"} {
		must.Equal(t, Bytes(n), want, "Bytes(%d)", n)
	}
	for n, want := range map[int]string{0: "0", 999: "999", 45_200: "45.2K", 999_999: "1000.0K", 4_300_000: "4.3M"} {
		must.Equal(t, Tokens(n), want, "Tokens(%d)", n)
	}
	for n, want := range map[float64]string{999.4: "999", 999.5: "1.0K", 99_950: "100K", 999_500: "1.0M", -45_200: "−45.2K", math.Inf(1): "–"} {
		must.Equal(t, TokensShort(n), want, "TokensShort(%v)", n)
	}
	for v, want := range map[float64]string{0: "$0.00", 0.314: "$0.31", -2: "−$2.00", 0.0042: "$0.004", 0.00012: "$0.0001", 0.00009: "under $0.0001", 999_999: "$999999.00", 1e308: "$1e+308", -2e9: "−$2e+09", -0.003: "−$0.003"} {
		must.Equal(t, Dollars(v), want, "Dollars(%v)", v)
	}
}

func TestNounsAgreeWithTheirNumber(t *testing.T) {
	for got, want := range map[string]string{
		Count(1, "entry"):             "1 entry",
		Count(2, "entry"):             "2 entries",
		Count(int64(1000), "text"):    "1,000 texts",
		CountPlain(1000, "summary"):   "1000 summaries",
		CountPlain(0, "match"):        "0 matches",
		CountDoes(1, "test", "take"):  "1 test takes",
		CountDoes(0, "name", "clash"): "0 names clash",
		CountDoes(1, "name", "clash"): "1 name clashes",
		CountDoes(1, "file", "reach"): "1 file reaches",
		Count(2, "day"):               "2 days",
	} {
		must.Equal(t, got, want, "got")
	}
}

func TestTimesSayWhenTheyAreUnknown(t *testing.T) {
	const at = 1_750_000_000_123
	for got, want := range map[string]string{
		Time(at):        "2025-06-15T15:06:40.123Z",
		Time(0):         "1970-01-01T00:00:00.000Z",
		KnownTime(at):   "2025-06-15T15:06:40.123Z",
		KnownTime(0):    "",
		Minute(at):      "2025-06-15 15:06",
		Minute(0):       "?",
		ZonedMinute(at): "2025-06-15 15:06Z",
		ZonedMinute(0):  "at an unknown time",
		LocalMinute(0):  "-",
	} {
		must.Equal(t, got, want, "got")
	}
}

func TestTextForOneLineHoldsNoLineBreak(t *testing.T) {
	for got, want := range map[string]string{
		Line(" a\n\tb \r\n"):                       "a b",
		LogLine("a\xff\nb"):                        "a\ufffd b",
		TerminalLine("\x1b[31mred\u202e\n\u200b!"): "\ufffd[31mred !",
		Printable("a\n\tb\x00"):                    "a\n\tb\ufffd",
		Printable("a\U000e0041b\u00adc\u034fd\u115fe\u3164f\ufe01g\U000e0100"): "abcdefg",
		Printable("می\u200cخواهم"):                                             "می\u200cخواهم",
		Printable("👩\u200d👧 ❤\ufe0f"):                                          "👩\u200d👧 ❤\ufe0f",
		Printable("p\u200da\u200cy"):                                           "pay",
		Printable("é\u200d\u200d\u200dx"):                                      "é\u200dx",
		JoinNonEmpty(", ", "", "a", "", "b"):                                   "a, b",
	} {
		must.Equal(t, got, want, "got")
	}
	if got := LogLine(strings.Repeat("é", 400)); !utf8.ValidString(got) || len(got) != MaxLogLine+len(Ellipsis) {
		t.Errorf("a long line has %d bytes", len(got))
	}
}

func TestCutBytesCutsBetweenCharacters(t *testing.T) {
	for limit, want := range map[int]string{-1: "", 0: "", 1: "a", 2: "a", 3: "aé", 4: "aéb", 9: "aéb"} {
		must.Equal(t, CutBytes("aéb", limit), want, "%d", limit)
	}
}

func TestDistanceCountsMistakes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"trust", "trust", 0}, {"turst", "trust", 1}, {"trst", "trust", 1}, {"trusts", "trust", 1}, {"truzt", "trust", 1}, {"abc", "", 3}, {"kitten", "sitting", 3}} {
		if got, back := Distance(c.a, c.b), Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
	names := []string{"prune", "trust", "tryst"}
	must.Equal(t, Closest("trast", names, 1), "trust", "closest")
	must.Equal(t, Closest("history", names, 2), "", "closest")
	must.Equal(t, Closest("pru", names, 2), "prune", "closest")
}

func TestIsASCIIFindsEveryOtherByte(t *testing.T) {
	for n := range 20 {
		s := strings.Repeat("a", n)
		if !IsASCII(s) || !IsASCIIBytes([]byte(s)) {
			t.Errorf("%q is not ASCII", s)
		}
		for i := range n {
			if other := s[:i] + "\x80" + s[i+1:]; IsASCII(other) || IsASCIIBytes([]byte(other)) {
				t.Errorf("%q is ASCII", other)
			}
		}
	}
}

func TestTimesArePutInWords(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	for before, want := range map[time.Duration]string{
		time.Second: "just now", 3 * time.Minute: "3 minutes ago", 61 * time.Minute: "1 hour ago", 72 * time.Hour: "3 days ago",
		time.Duration(now.UnixNano()): "at an unknown time",
	} {
		must.Equal(t, Ago(now.Add(-before), now), want, "%v before", before)
	}
}

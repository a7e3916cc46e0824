package likeness

import (
	"strconv"
	"strings"
)

// quantity is a number with a dimension, such as time, "" for a plain number. The value is
// in the smallest unit of the dimension.
type quantity struct {
	dimension string
	value     float64
	text      string // the number as written, "" for a decimal number
	written   string // with its unit, for people
	named     string // stem of the name before it, as in TLS 1.2
	counted   string // stem of the noun that a plain number counts, if any
}

// isClock reports whether a word is a time of day, such as 10:00.
func isClock(w string) bool {
	h, m, ok := strings.Cut(w, ":")
	return ok && h != "" && len(h) <= 2 && len(m) == 2 && strings.Trim(h+m, "0123456789") == ""
}

// readClock reads a time of day and returns the number of its words, 0 for none.
func readClock(w, next string) (quantity, int) {
	n, half := 1, ""
	hours, minutes := w, "0"
	switch {
	case isClock(w):
		hours, minutes, _ = strings.Cut(w, ":")
	case strings.HasSuffix(w, "am") || strings.HasSuffix(w, "pm"):
		hours, half = w[:len(w)-2], w[len(w)-2:]
	case next != "am" && next != "pm" && next != "o'clock":
		return quantity{}, 0
	}
	if half == "" && (next == "am" || next == "pm" || next == "o'clock") {
		n, half = 2, next
	}
	h, err := strconv.Atoi(hours)
	m, err2 := strconv.Atoi(minutes)
	if err != nil || err2 != nil || h > 24 || m > 59 {
		return quantity{}, 0
	}
	if half == "pm" && h < 12 {
		h += 12
	}
	return quantity{dimension: "clock", value: float64(60*h + m)}, n
}

// unit is a unit in terms of the smallest one of its dimension.
type unit struct {
	dimension string
	factor    float64
}

// units are the units of time, size, share and money, by their singular names.
var units = map[string]unit{
	"ms": {"time", 1}, "millisecond": {"time", 1}, "s": {"time", 1e3}, "sec": {"time", 1e3}, "second": {"time", 1e3},
	"min": {"time", 6e4}, "minute": {"time", 6e4}, "h": {"time", 36e5}, "hr": {"time", 36e5}, "hour": {"time", 36e5},
	"d": {"time", 864e5}, "day": {"time", 864e5}, "week": {"time", 7 * 864e5}, "fortnight": {"time", 14 * 864e5}, "month": {"time", 30 * 864e5},
	"quarter": {"time", 91 * 864e5}, "year": {"time", 365 * 864e5},
	"byte": {"size", 1}, "kb": {"size", 1 << 10}, "kib": {"size", 1 << 10}, "kilobyte": {"size", 1 << 10},
	"mb": {"size", 1 << 20}, "mib": {"size", 1 << 20}, "megabyte": {"size", 1 << 20},
	"gb": {"size", 1 << 30}, "gib": {"size", 1 << 30}, "gigabyte": {"size", 1 << 30}, "tb": {"size", 1 << 40}, "terabyte": {"size", 1 << 40},
	"%": {"share", 1}, "percent": {"share", 1}, "pct": {"share", 1},
	"$": {"dollars", 1}, "usd": {"dollars", 1}, "dollar": {"dollars", 1}, "€": {"euros", 1}, "eur": {"euros", 1}, "euro": {"euros", 1},
	"£": {"pounds", 1}, "gbp": {"pounds", 1},
}

// schedules maps adverbs of frequency to their interval.
var schedules = map[string]string{
	"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "fortnightly": "fortnight", "monthly": "month", "quarterly": "quarter",
	"yearly": "year", "annually": "year",
}

// unitOf returns the unit that a word names.
func unitOf(w string) (unit, bool) {
	u, ok := units[w]
	if !ok {
		u, ok = units[strings.TrimSuffix(w, "s")]
	}
	return u, ok
}

// numerals are number words, and words that stand for one before a unit, as in "once a
// day". "one" is a number only before a unit.
var numerals = map[string]float64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "eighteen": 18, "twenty": 20, "thirty": 30,
	"forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100, "thousand": 1000, "zero": 0, "twice": 2, "once": 1, "a": 1, "an": 1, "per": 1, "every": 1, "each": 1,
}

// readQuantity reads the quantity that begins with w and returns the number of its words, 0
// for none. next is the word after w.
func readQuantity(w, next string) (quantity, int) {
	if q, n := readClock(w, next); n > 0 {
		return q, n
	}
	if n, ok := numerals[w]; ok {
		u, measured := unitOf(next)
		switch {
		case measured:
			return quantity{dimension: u.dimension, value: n * u.factor}, 2
		case n == 1:
			return quantity{}, 0
		}
		return quantity{value: n}, 1
	}
	head := strings.TrimLeft(w, "<>=~^")
	symbol := ""
	for _, s := range []string{"$", "€", "£"} {
		if rest, ok := strings.CutPrefix(head, s); ok {
			head, symbol = rest, s
		}
	}
	if !startsWithDigit(strings.TrimPrefix(head, "v")) && !startsWithDigit(strings.TrimPrefix(head, "-")) {
		return quantity{}, 0
	}
	end := len(head)
	for end > 0 && (head[end-1] < '0' || head[end-1] > '9') {
		end--
	}
	digits, tail := head[:end], head[end:]
	n, err := strconv.ParseFloat(strings.NewReplacer("_", "", ",", "").Replace(digits), 64)
	if err != nil { // a version
		return quantity{text: digits}, 1
	}
	if u, ok := unitOf(symbol); ok {
		return quantity{dimension: u.dimension, value: n * u.factor}, 1
	}
	if u, ok := unitOf(tail); ok && tail != "" {
		return quantity{dimension: u.dimension, value: n * u.factor}, 1
	}
	if u, ok := unitOf(next); ok && tail == "" {
		return quantity{dimension: u.dimension, value: n * u.factor}, 2
	}
	return quantity{value: n}, 1
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

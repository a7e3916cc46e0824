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

// unitNamed returns the unit of time, size, share or money with a singular name. A switch,
// here and below, costs nothing when the program starts; a map would be built then.
func unitNamed(w string) (unit, bool) {
	switch w {
	case "ms", "millisecond":
		return unit{"time", 1}, true
	case "s", "sec", "second":
		return unit{"time", 1e3}, true
	case "min", "minute":
		return unit{"time", 6e4}, true
	case "h", "hr", "hour":
		return unit{"time", 36e5}, true
	case "d", "day":
		return unit{"time", 864e5}, true
	case "week":
		return unit{"time", 7 * 864e5}, true
	case "fortnight":
		return unit{"time", 14 * 864e5}, true
	case "month":
		return unit{"time", 30 * 864e5}, true
	case "quarter":
		return unit{"time", 91 * 864e5}, true
	case "year":
		return unit{"time", 365 * 864e5}, true
	case "byte":
		return unit{"size", 1}, true
	case "kb", "kib", "kilobyte":
		return unit{"size", 1 << 10}, true
	case "mb", "mib", "megabyte":
		return unit{"size", 1 << 20}, true
	case "gb", "gib", "gigabyte":
		return unit{"size", 1 << 30}, true
	case "tb", "terabyte":
		return unit{"size", 1 << 40}, true
	case "%", "percent", "pct":
		return unit{"share", 1}, true
	case "$", "usd", "dollar":
		return unit{"dollars", 1}, true
	case "€", "eur", "euro":
		return unit{"euros", 1}, true
	case "£", "gbp":
		return unit{"pounds", 1}, true
	}
	return unit{}, false
}

// scheduled returns the interval of an adverb of frequency.
func scheduled(w string) (unit, bool) {
	switch w {
	case "hourly":
		return unitNamed("hour")
	case "daily", "nightly":
		return unitNamed("day")
	case "weekly":
		return unitNamed("week")
	case "fortnightly":
		return unitNamed("fortnight")
	case "monthly":
		return unitNamed("month")
	case "quarterly":
		return unitNamed("quarter")
	case "yearly", "annually":
		return unitNamed("year")
	}
	return unit{}, false
}

// unitOf returns the unit that a word names.
func unitOf(w string) (unit, bool) {
	u, ok := unitNamed(w)
	if !ok {
		u, ok = unitNamed(strings.TrimSuffix(w, "s"))
	}
	return u, ok
}

// numeral returns the number of a number word, or of one that stands for one before a unit, as
// in "once a day". "one" is a number only before a unit.
func numeral(w string) (float64, bool) {
	switch w {
	case "one", "once", "a", "an", "per", "every", "each":
		return 1, true
	case "hundred":
		return 100, true
	case "thousand":
		return 1000, true
	}
	if n, ok := teen(w); ok {
		return n, true
	}
	n, ok := tens(w)
	return 10 * n, ok
}

// teen returns the number of a word for a number below twenty.
func teen(w string) (float64, bool) {
	switch w {
	case "zero":
		return 0, true
	case "two", "twice":
		return 2, true
	case "three":
		return 3, true
	case "four":
		return 4, true
	case "five":
		return 5, true
	case "six":
		return 6, true
	case "seven":
		return 7, true
	case "eight":
		return 8, true
	case "nine":
		return 9, true
	case "ten":
		return 10, true
	case "eleven":
		return 11, true
	case "twelve":
		return 12, true
	case "thirteen":
		return 13, true
	case "fourteen":
		return 14, true
	case "fifteen":
		return 15, true
	case "sixteen":
		return 16, true
	case "eighteen":
		return 18, true
	}
	return 0, false
}

// tens returns the tens of a word for a multiple of ten.
func tens(w string) (float64, bool) {
	switch w {
	case "twenty":
		return 2, true
	case "thirty":
		return 3, true
	case "forty":
		return 4, true
	case "fifty":
		return 5, true
	case "sixty":
		return 6, true
	case "ninety":
		return 9, true
	}
	return 0, false
}

// readQuantity reads the quantity that begins with w and returns the number of its words, 0
// for none. next is the word after w.
func readQuantity(w, next string) (quantity, int) {
	if q, n := readClock(w, next); n > 0 {
		return q, n
	}
	if n, ok := numeral(w); ok {
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

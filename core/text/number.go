package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Thousands formats a number with en-US digit grouping, as in 12,500, regardless of the
// locale.
func Thousands[N ~int | ~int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	grouped := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			grouped = append(grouped, ',')
		}
		grouped = append(grouped, digits[i])
	}
	return sign + string(grouped)
}

// Count formats a number with its noun and digit grouping: "1 entry", "1,204 entries".
func Count[N ~int | ~int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + Plural(noun)
}

// CountPlain is Count without digit grouping: "1204 entries".
func CountPlain(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + Plural(noun)
}

// CountDoes is CountPlain with a verb that agrees: "1 test takes", "3 tests take".
func CountDoes(n int, noun, verb string) string { return CountPlain(n, noun) + " " + Does(n, verb) }

// Does returns an English verb as it stands after a number: "takes" after 1, "take" after others.
func Does(n int, verb string) string {
	if n == 1 {
		return Plural(verb)
	}
	return verb
}

// Plural returns the plural of an English noun that takes -s, -ies, or -es after -ch and -sh.
func Plural(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") {
		return stem + "ies"
	}
	if strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "sh") {
		return noun + "es"
	}
	return noun + "s"
}

// Bytes formats a number of bytes in decimal units: 512 B, 1.2 KB, 3.4 MB. A negative
// number means unknown: "?".
func Bytes(n int64) string {
	switch {
	case n < 0:
		return "?"
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	case n < 1000*1000*1000:
		return Megabytes(n)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// Megabytes formats a number of bytes in MB, whatever its magnitude.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// Tokens formats a number of tokens with one decimal: 45.2K.
func Tokens[N ~int](n N) string {
	switch {
	case n < 1000:
		return fmt.Sprint(int(n))
	case n < 1_000_000:
		return fmt.Sprintf("%.1fK", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}

// TokensShort formats a number of tokens with three digits, 45.2K or 452K, for a table or a
// chart. A negative number has a minus sign; NaN is a dash.
func TokensShort(n float64) string {
	switch abs := math.Abs(n); {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return "–"
	case n < 0:
		return "−" + TokensShort(-n)
	case abs < 999.5:
		return fmt.Sprintf("%.0f", n)
	case abs < 99_950:
		return fmt.Sprintf("%.1fK", n/1e3)
	case abs < 999_500:
		return fmt.Sprintf("%.0fK", n/1e3)
	case abs < 99_950_000:
		return fmt.Sprintf("%.1fM", n/1e6)
	}
	return fmt.Sprintf("%.0fM", n/1e6)
}

// Dollars formats an amount with two decimals, or below a cent with one significant digit.
// Less than a hundredth of a cent is shown as less than that, a billion or more by its
// magnitude.
func Dollars(v float64) string {
	sign := ""
	if v < 0 {
		sign, v = "−", -v
	}
	switch {
	case v >= 1e9: // nobody pays that: a session may claim any number
		return fmt.Sprintf("%s$%.0e", sign, v)
	case v >= 0.01 || v == 0:
		return fmt.Sprintf("%s$%.2f", sign, v)
	case v < 0.0001:
		return "under " + sign + "$0.0001"
	}
	return fmt.Sprintf("%s$%.1g", sign, v)
}

package text

import (
	"fmt"
	"math"
)

// Bytes writes a number of bytes in decimal units: 512 B, 1.2 KB, 3.4 MB. A
// negative number is an unknown one, "?".
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

// Megabytes writes a number of bytes in MB, however small or large it is.
func Megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// Tokens writes a number of tokens with one digit after the point: 45.2K.
func Tokens[N ~int](n N) string {
	switch {
	case n < 1000:
		return fmt.Sprint(int(n))
	case n < 1_000_000:
		return fmt.Sprintf("%.1fK", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1_000_000)
}

// TokensShort writes a number of tokens in three digits, 45.2K or 452K, for a table
// or a chart. A negative number has a minus sign, and NaN is a dash.
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

// Dollars writes an amount with two digits after the point, one under a cent with
// one significant digit.
func Dollars(v float64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	if v >= 0.01 || v == 0 {
		return fmt.Sprintf("%s$%.2f", sign, v)
	}
	return fmt.Sprintf("%s$%.1g", sign, v)
}

package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes, as in blobs.max_bytes.
type Size int64

// maxSize bounds sizes, so that sums of them cannot overflow.
const maxSize = Size(1) << 50

// unit is a unit of sizes: MB is a million bytes, MiB is 1024 times 1024.
type unit struct {
	name  string
	bytes Size
}

// units lists the units, the largest first.
var units = []unit{
	{"TiB", 1 << 40},
	{"TB", 1e12},
	{"GiB", 1 << 30},
	{"GB", 1e9},
	{"MiB", 1 << 20},
	{"MB", 1e6},
	{"KiB", 1 << 10},
	{"KB", 1e3},
}

// String writes a size as ParseSize reads it: in the largest unit that it is
// a whole number of.
func (n Size) String() string {
	for _, u := range units {
		if n != 0 && n%u.bytes == 0 {
			return strconv.FormatInt(int64(n/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(n), 10)
}

// ParseSize reads a number of bytes with or without a unit: 250MB, 1.5 GiB,
// 262144000. What is left of a byte is dropped.
func ParseSize(text string) (Size, error) {
	number, unit := strings.TrimSpace(text), ""
	if i := strings.IndexFunc(number, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i >= 0 {
		number, unit = number[:i], strings.TrimPrefix(number[i:], " ")
	}
	// By hand: a pattern would be compiled whenever a hook reads its settings.
	whole, fraction, point := strings.Cut(number, ".")
	word := !strings.ContainsFunc(unit, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if len(whole) < 1 || len(whole) > 16 || len(fraction) > 9 || point && fraction == "" || strings.Contains(fraction, ".") || !word {
		return 0, fmt.Errorf("parse size %q: want a number and a unit such as MB", text)
	}
	factor, ok := factorOf(unit)
	if !ok {
		return 0, fmt.Errorf("parse size %q: unknown unit %s", text, unit)
	}
	if !point {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || Size(n) > maxSize/factor {
			return 0, fmt.Errorf("parse size %q: more than %s", text, maxSize)
		}
		return Size(n) * factor, nil
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f*float64(factor) > float64(maxSize) {
		return 0, fmt.Errorf("parse size %q: more than %s", text, maxSize)
	}
	return Size(f * float64(factor)), nil
}

// factorOf is what a unit multiplies by; upper and lower case are one, and the B
// may be left out.
func factorOf(name string) (Size, bool) {
	name = strings.ToUpper(name)
	if name == "" || name == "B" {
		return 1, true
	}
	for _, u := range units {
		full := strings.ToUpper(u.name)
		if name == full || name == strings.TrimSuffix(full, "B") {
			return u.bytes, true
		}
	}
	return 0, false
}

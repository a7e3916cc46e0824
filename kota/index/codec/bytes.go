// Package codec encodes the contents of an index as bytes: numbers, strings, and the facts of a
// file in parts that can be skipped.
//
// It must not know what else an index holds.
package codec

import (
	"encoding/binary"
	"errors"
)

// ErrDamaged is returned for bytes that an Encoder did not write.
var ErrDamaged = errors.New("the index is damaged")

// Encoder writes numbers and strings to B. Small numbers take few bytes.
type Encoder struct{ B []byte }

// Num writes a number, which must not be negative.
func (e *Encoder) Num(n int) { e.B = binary.AppendUvarint(e.B, uint64(n)) }

// Long writes any number.
func (e *Encoder) Long(n int64) { e.B = binary.AppendVarint(e.B, n) }

// Str writes a string with its length before it.
func (e *Encoder) Str(s string) { e.Num(len(s)); e.B = append(e.B, s...) }

// Flag writes up to seven flags as one byte.
func (e *Encoder) Flag(f ...bool) { e.Num(Bits(f...)) }

// Bits packs flags into a number, the first into the lowest bit.
func Bits(f ...bool) int {
	n := 0
	for i, set := range f {
		if set {
			n |= 1 << i
		}
	}
	return n
}

// Front writes a string by front coding: the length of the prefix it shares with the one before,
// and the rest.
func (e *Encoder) Front(last *string, s string) {
	n := 0
	for n < len(s) && n < len(*last) && s[n] == (*last)[n] {
		n++
	}
	e.Num(n)
	e.Str(s[n:])
	*last = s
}

// Decoder reads what an Encoder wrote. After invalid input it returns only zero values. It reads
// from a string, so that the strings it returns share its memory.
type Decoder struct {
	B   string // the rest of the input
	Bad bool   // the input was invalid
}

// Fail marks the input as invalid and drops the rest of it.
func (d *Decoder) Fail() { d.B, d.Bad = "", true }

// uvarint reads a number as binary.AppendUvarint writes it.
func (d *Decoder) uvarint() (n uint64, ok bool) {
	for i := 0; i < len(d.B) && i < binary.MaxVarintLen64; i++ {
		c := d.B[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.B = d.B[i+1:]
			return n, true
		}
	}
	return 0, false
}

// Num reads what Encoder.Num wrote.
func (d *Decoder) Num() int {
	if len(d.B) > 0 && d.B[0] < 0x80 { // most numbers take one byte
		n := d.B[0]
		d.B = d.B[1:]
		return int(n)
	}
	n, ok := d.uvarint()
	if !ok || n > 1<<40 {
		d.Fail()
		return 0
	}
	return int(n)
}

// Long reads what Encoder.Long wrote.
func (d *Decoder) Long() int64 {
	n, ok := d.uvarint()
	if !ok {
		d.Fail()
		return 0
	}
	return int64(n>>1) ^ -int64(n&1)
}

// Count reads the number of items that follow. Each takes at least one byte, so that a number too
// large is detected here.
func (d *Decoder) Count() int {
	n := d.Num()
	if n > len(d.B) {
		d.Fail()
		return 0
	}
	return n
}

// Str reads what Encoder.Str wrote.
func (d *Decoder) Str() string {
	n := d.Count()
	s := d.B[:n]
	d.B = d.B[n:]
	return s
}

// Front reads what Encoder.Front wrote.
func (d *Decoder) Front(last *string) string {
	n := d.Num()
	if n > len(*last) {
		d.Fail()
		return ""
	}
	*last = (*last)[:n] + d.Str()
	return *last
}

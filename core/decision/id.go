package decision

import (
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// crockford are the digits of Crockford's base 32: no I, L, O or U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// letterFrom is the index of the first letter in crockford.
const letterFrom = 10

// NewID returns a free id: the day and four random digits. At least one is a letter, so
// that the id never equals a numeric one of the original extension.
func NewID(day time.Time, random io.Reader, taken func(id string) bool) (string, error) {
	const length, tries = 4, 10_000
	var raw [length]byte
	for range tries {
		if _, err := io.ReadFull(random, raw[:]); err != nil {
			return "", fmt.Errorf("make an id: %w", err)
		}
		letter := false
		for i := range raw {
			raw[i] = crockford[raw[i]%32]
			letter = letter || strings.IndexByte(crockford, raw[i]) >= letterFrom
		}
		id := "D-" + day.UTC().Format(time.DateOnly) + "-" + string(raw[:])
		if letter && !taken(id) {
			return id, nil
		}
	}
	return "", fmt.Errorf("make an id: no id of %s is free", day.UTC().Format(time.DateOnly))
}

// newKey returns a key of an event: 48 bits of time and 80 random bits in 26 digits. Within a
// change the times count up, so that keys sort in order.
func newKey(ms int64, random io.Reader) (string, error) {
	raw := binary.BigEndian.AppendUint64(make([]byte, 0, 18), uint64(ms)<<16)[:16]
	if _, err := io.ReadFull(random, raw[6:]); err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	return base32.NewEncoding(crockford).WithPadding(base32.NoPadding).EncodeToString(raw), nil
}

// AmbiguousError is returned for an id that several decisions match, whose ids are Candidates.
type AmbiguousError struct {
	ID         string
	Candidates []string
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	const limit = 10
	said := "find decision: " + e.ID + " is ambiguous: " + strings.Join(e.Candidates[:min(limit, len(e.Candidates))], " ")
	if more := len(e.Candidates) - limit; more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
}

// NotFoundError is returned for an id that no decision matches.
type NotFoundError struct{ ID string }

// Error implements error.
func (e *NotFoundError) Error() string { return fmt.Sprintf("find decision: there is no %s", e.ID) }

// Find returns the decision with an id, or with an unambiguous prefix or suffix of it.
// Removed decisions are found by their full id only, unless their removal is unsettled. The
// error is a NotFoundError or an AmbiguousError.
func (s *State) Find(id string) (*Decision, error) {
	want := strings.TrimSpace(id)
	if s.byID[want] == nil {
		want = strings.ToUpper(want)
	}
	bare, end, shared := strings.Cut(want, SuffixMark)
	found := s.byID[bare]
	switch {
	case shared:
		other := func(d *Decision) bool { return end == "" || !strings.HasSuffix(strings.ToUpper(d.Key), end) }
		found = slices.DeleteFunc(slices.Clone(found), other)
	case len(found) == 0 && want != "":
		found = slices.DeleteFunc(s.Listed(), func(d *Decision) bool { return !matches(strings.ToUpper(d.Bare), want) })
	}
	switch len(found) {
	case 0:
		return nil, &NotFoundError{id}
	case 1:
		return found[0], nil
	}
	several := &AmbiguousError{ID: id}
	for _, d := range found {
		name := d.ID
		if d.Bare == want {
			name = d.suffixed()
		}
		several.Candidates = append(several.Candidates, name)
	}
	return nil, several
}

// FindAll is Find for several ids. It returns those that it found, and the errors of the
// others.
func (s *State) FindAll(ids []string) (found []*Decision, failed error) {
	for _, id := range ids {
		d, err := s.Find(id)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		found = append(found, d)
	}
	return found, failed
}

// matches reports whether an id begins or ends with part. A suffix may not reach into the
// date.
func matches(id, part string) bool {
	if strings.HasPrefix(id, part) {
		return true
	}
	i := strings.LastIndexByte(id, '-')
	return i >= 0 && strings.HasSuffix(id[i+1:], part)
}

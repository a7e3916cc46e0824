package golang

import (
	"bytes"
	"go/build"
	"go/build/constraint"
	"io"
	"regexp"
	"strings"
)

// The default build is for linux/amd64, with cgo and without further build tags.
const (
	defaultSystem       = "linux"
	defaultArchitecture = "amd64"
)

// outside returns why the default build excludes a file, by its name and its content; "" when it is
// included.
func outside(base string, data []byte) string {
	if base[0] == '_' || base[0] == '.' {
		return "a name that go ignores"
	}
	if builds(defaultSystem, defaultArchitecture, base, data) {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if constraint.IsGoBuild(line) {
			if x, err := constraint.Parse(strings.TrimSpace(line)); err == nil && !x.Eval(isSet) {
				return x.String()
			}
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
	}
	name, _, _ := strings.Cut(base, ".")
	parts := append([]string{"", ""}, strings.Split(strings.TrimSuffix(name, "_test"), "_")...)
	before, last := parts[len(parts)-2], parts[len(parts)-1]
	switch {
	case builds(defaultSystem, defaultArchitecture, base, nil):
		return "its build constraints"
	case builds(before, last, base, nil) && !builds("", last, base, nil):
		return before + " " + last
	}
	return last
}

// isSet reports whether a build tag is set in the default build.
func isSet(tag string) bool {
	switch tag {
	case defaultSystem, defaultArchitecture, "unix", "cgo", "gc":
		return true
	}
	return strings.HasPrefix(tag, "go1.")
}

// builds reports whether the build for a system includes a file. Without data its name decides.
func builds(system, architecture, base string, data []byte) bool {
	if data == nil {
		data = []byte("package p")
	}
	c := build.Context{
		GOOS: system, GOARCH: architecture, Compiler: "gc", CgoEnabled: true, ReleaseTags: build.Default.ReleaseTags,
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
	ok, err := c.MatchFile("", base)
	return ok || err != nil
}

// isGenerated reports whether a file is marked as generated.
func isGenerated(head []byte) bool {
	return bytes.Contains(head, []byte("// Code generated ")) && // cheap check; few files have it
		regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`).Match(head)
}

package golang

import (
	"bytes"
	"go/build/constraint"
	"regexp"
	"slices"
	"strings"
)

// The default build is for linux/amd64, with cgo and without further build tags.
var (
	systems = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos")
	arches  = strings.Fields("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
	set     = []string{"linux", "amd64", "unix", "cgo", "gc"}
)

// holds reports whether a build tag is set in the default build.
func holds(tag string) bool {
	return slices.Contains(set, tag) || strings.HasPrefix(tag, "go1.")
}

// outside returns why the default build excludes a file, by its name and the text before its
// package clause; "" when it is included.
func outside(base string, head []byte) string {
	if base[0] == '_' || base[0] == '.' {
		return "a name that go ignores"
	}
	if tags := tagsOf(base); slices.ContainsFunc(tags, func(t string) bool { return !holds(t) }) {
		return strings.Join(tags, " ")
	}
	if x := constraintOf(head); x != nil && !x.Eval(holds) {
		return x.String()
	}
	return ""
}

// tagsOf returns the build tags that a file's name implies: operating system and architecture.
func tagsOf(base string) []string {
	name, _, _ := strings.Cut(base, ".")
	parts := strings.Split(strings.TrimSuffix(name, "_test"), "_")
	if len(parts) < 2 {
		return nil
	}
	last := parts[len(parts)-1]
	switch {
	case slices.Contains(systems, last):
		return []string{last}
	case !slices.Contains(arches, last):
		return nil
	}
	if before := parts[len(parts)-2]; len(parts) > 2 && slices.Contains(systems, before) {
		return []string{before, last}
	}
	return []string{last}
}

// constraintOf returns the build constraint before the package clause, nil without one.
func constraintOf(head []byte) constraint.Expr {
	if !bytes.Contains(head, []byte("build")) {
		return nil
	}
	var all, pending constraint.Expr
	inComment := false
	for line := range strings.Lines(string(head)) {
		line = strings.TrimSpace(line)
		if inComment {
			inComment = !strings.Contains(line, "*/")
			continue
		}
		switch {
		case strings.HasPrefix(line, "/*"):
			inComment = !strings.Contains(line, "*/")
		case constraint.IsGoBuild(line):
			if x, err := constraint.Parse(line); err == nil {
				return x
			}
		case constraint.IsPlusBuild(line):
			if x, err := constraint.Parse(line); err == nil {
				pending = and(pending, x)
			}
		case line == "": // a "// +build" line counts only before an empty line
			all, pending = and(all, pending), nil
		}
	}
	return all
}

func and(a, b constraint.Expr) constraint.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &constraint.AndExpr{X: a, Y: b}
}

// isGenerated reports whether a file is marked as generated.
func isGenerated(head []byte) bool {
	return bytes.Contains(head, []byte("// Code generated ")) && // cheap check; few files have it
		regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`).Match(head)
}

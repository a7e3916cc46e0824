package decision

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// The limits of a message about governing decisions.
const (
	maxGoverning     = 3   // decisions
	maxGovernedFiles = 3   // file names
	maxGovernedFile  = 100 // characters of a file name
)

// Turn is the last turn of a session up to its leaf.
type Turn struct {
	Leaf string
	// Root is the directory of the project, CWD that of relative file names.
	Root, CWD string
	// Reads includes files that were only read.
	Reads bool
}

// Governs reports whether any decision shown to models governs files.
func (s *State) Governs() bool {
	return slices.ContainsFunc(s.Decisions, func(d *Decision) bool { return len(d.Paths) > 0 && d.shown() })
}

// Governing returns the message for a model after a turn, "" for none: the active decisions
// that govern files of its calls. A session is told of each decision once.
func (s *State) Governing(session message.Session, t Turn) (string, Shown, error) {
	path := session.Entries().Path(t.Leaf)
	var files []string
	for _, f := range lastFiles(path, t.CWD, t.Reads) {
		if rel, err := filepath.Rel(t.Root, f); err == nil && filepath.IsLocal(rel) {
			files = append(files, filepath.ToSlash(rel))
		}
	}
	found := s.filter(func(d *Decision) bool { return d.shown() && slices.ContainsFunc(files, d.Governs) })
	if len(found) == 0 {
		return "", Shown{}, nil
	}
	told, err := toldIn(session, path)
	found = slices.DeleteFunc(found, func(d *Decision) bool { return told[d.ID] })
	if err != nil || len(found) == 0 {
		return "", Shown{}, err
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		return !slices.ContainsFunc(found, func(d *Decision) bool { return d.Governs(f) })
	})
	body, details := governingText(found, files)
	return body, details, nil
}

// governingText returns the message about governing decisions and their files.
func governingText(found []*Decision, files []string) (string, Shown) {
	slices.Reverse(found) // the latest first
	slices.SortStableFunc(found, func(a, b *Decision) int { return pinFirst(a) - pinFirst(b) })
	names := make([]string, min(len(files), maxGovernedFiles))
	for i := range names {
		names[i] = lineText(files[i], maxGovernedFile)
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	lines := []string{"Decisions that govern " + strings.Join(names, ", ") + ":"}
	details := Shown{Kind: kindGoverning}
	for i, d := range found {
		if details.Told = append(details.Told, d.ID); i < maxGoverning {
			lines = append(lines, d.Line())
		}
	}
	if more := len(found) - maxGoverning; more > 0 {
		lines = append(lines, fmt.Sprintf("+%d more: pictx decision list --search path:%s", more, names[0]))
	}
	return framed(lines...), details
}

// lastFiles returns the files that the calls of the last turn changed, or with reads also
// those they read. Failed calls do not count.
func lastFiles(path []*message.Node, cwd string, reads bool) []string {
	done := make(map[string]bool) // ids of the calls that succeeded
	var out []string
	for _, n := range slices.Backward(path) {
		head := &n.Message
		switch {
		case n.Type != message.EntryMessage:
			continue
		case head.Role == message.RoleToolResult:
			done[head.ToolCallID] = !head.IsError
			continue
		case head.Role != message.RoleAssistant:
			return nil
		}
		for _, c := range head.Calls {
			acc := tool.AccessOf(c.Name, c.Arguments, cwd)
			if done[c.ID] && acc.Path != "" && (acc.Writes || reads && acc.Reads) && !slices.Contains(out, acc.Path) {
				out = append(out, acc.Path)
			}
		}
		return out
	}
	return nil
}

// toldIn returns the ids of the decisions that messages of a path named as governing files.
func toldIn(s message.Session, path []*message.Node) (map[string]bool, error) {
	told := make(map[string]bool)
	for _, n := range path {
		d, _, err := shownBy(s, n, n.Message.CustomType)
		if err != nil {
			return nil, err
		}
		for _, id := range d.Told {
			told[id] = true
		}
	}
	return told, nil
}

// cleanPaths checks globs of governed files, if given, and returns them relative to the project, with
// slashes.
func cleanPaths(globs *[]string) (*[]string, error) {
	if globs == nil {
		return nil, nil
	}
	out := []string{}
	for _, g := range *globs {
		if g = strings.TrimSpace(g); g == "" {
			continue
		}
		clean := strings.TrimPrefix(path.Clean(strings.ReplaceAll(g, `\`, "/")), "./")
		if _, err := glob.Compile(clean); err != nil || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
			return nil, &TextError{"text", fmt.Sprintf("invalid glob %q: want one of files in the project", g)}
		}
		out = append(out, clean)
	}
	return &out, nil
}

// Governs reports whether the decision governs a file, given as a slash-separated path
// relative to the project's root. A glob that names a directory governs its files.
func (d *Decision) Governs(file string) bool {
	return slices.ContainsFunc(d.Paths, func(g string) bool { return MatchGoverned(g, file) })
}

// MatchGoverned reports whether a glob matches a file or one of its directories. A pattern with
// braces that expands to too many others matches nothing.
func MatchGoverned(pattern, file string) bool {
	if strings.Contains(pattern, "{") { // {a,b} may expand to 2^n patterns
		for _, p := range []string{pattern, strings.TrimSuffix(pattern, "/") + "/**"} {
			if g, err := glob.Compile(p); err == nil && g.Match(file) {
				return true
			}
		}
		return false
	}
	return doublestar.MatchUnvalidated(pattern, file) || doublestar.MatchUnvalidated(strings.TrimSuffix(pattern, "/")+"/**", file)
}

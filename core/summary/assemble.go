package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// DefaultBudget is the default maximum size of an assembled text.
const DefaultBudget token.Count = 8000

// Files are the files that the covered messages touched, in the form in which pi passes
// them from one compaction to the next.
type Files struct {
	// Read are the files that were only read.
	Read []string `json:"readFiles"`
	// Modified are the files that were written or edited.
	Modified []string `json:"modifiedFiles"`
}

// Add adds files.
func (f *Files) Add(read, modified []string) {
	set := func(paths []string) []string { return slices.Compact(slices.Sorted(slices.Values(paths))) }
	f.Modified = set(append(f.Modified, modified...))
	f.Read = slices.DeleteFunc(set(append(f.Read, read...)), func(p string) bool {
		_, changed := slices.BinarySearch(f.Modified, p)
		return changed
	})
}

// Files lists the files named by the branch's tool calls.
func (b *Branch) Files() Files { return b.files(0, len(b.Units)) }

func (b *Branch) files(start, end int) Files {
	var read, modified []string
	for _, u := range b.Units[start:end] {
		for _, c := range u.Message.Calls {
			switch path := argument(c.Arguments, "path"); {
			case path == "":
			case c.Name == "read":
				read = append(read, path)
			case c.Name == "edit" || c.Name == "write":
				modified = append(modified, path)
			}
		}
	}
	var f Files
	f.Add(read, modified)
	return f
}

const (
	assembleTitle = "## Conversation History (Lossless Context Management)\n"
	// assembleNote names commands first: tools are declared only later, when that is free.
	assembleNote = "A record of what came before the messages that follow, not instructions. In a shell, `pictx expand ID` gives the original behind an id and `pictx grep WORDS` searches all of it; lcm_expand and lcm_grep do so where they are declared.\n"
	highLevel    = "\n### High-Level Summary\n"
	recent       = "\n### Recent Activity\n"
	idList       = "\n### Summary IDs for Drill-Down\n"
)

// lineChars is how many characters of a summary a list shows.
const lineChars = 120

// Assemble writes the text that replaces the covered messages in a context, in at most
// budget tokens including the files. After the frame come all roots in order: the newest
// with its text; others with theirs as far as the budget allows, model-written ones first
// and newer ones before older; and one line for each of the rest. It contains no times of
// writing, counts or sizes, so that the same roots yield the same bytes.
func Assemble(c *Cover, f Frame, budget token.Count) string {
	if len(c.Roots) == 0 {
		return ""
	}
	if budget <= 0 {
		budget = DefaultBudget
	}
	last := len(c.Roots) - 1
	a := assembly{roots: c.Roots, shown: make([]string, len(c.Roots)), tail: fileTags(f.Files, budget/4)}
	a.shown[last] = c.Roots[last].Text
	a.frame = f.write(c.Roots[last].Kind == Extract, budget*3/4, a.write())
	for a.few < last && a.size() > budget {
		a.few++ // the oldest share one line
	}
	for keep := len(a.shown[last]); a.size() > budget && keep > 200; keep -= keep / 8 {
		a.cut(last, keep)
	}
	for _, kind := range []Kind{Model, Extract} {
		for i := last - 1; i >= a.few; i-- {
			if a.roots[i].Kind == kind {
				a.show(i, budget)
			}
		}
	}
	return a.write()
}

// blockChars is the approximate size of the lines around a text, and minShown the minimum
// useful size of a text that is cut, in characters.
const (
	blockChars = 80
	minShown   = 800
)

// Assembled reports whether a text was written by Assemble.
func Assembled(text string) bool { return strings.HasPrefix(text, assembleTitle) }

// assembly is a text that Assemble is writing.
type assembly struct {
	roots []*PlacedNode
	shown []string // the texts of roots, "" for those with one line
	frame string
	tail  string // the lists of files
	few   int    // how many of the oldest roots share one line
}

// cut shows at most the first bytes of a root's text.
func (a *assembly) cut(root, bytes int) {
	text := a.roots[root].Text
	a.shown[root] = text[:fence.CutBefore(text, bytes)] + " …"
}

// show gives a root its text, or as much of it as there is room for.
func (a *assembly) show(i int, budget token.Count) {
	r := a.roots[i]
	room := int(budget-a.size())*charsPerToken - blockChars
	a.shown[i] = r.Text
	switch size := a.size(); {
	case size <= budget && (r.Kind == Model || size <= plenty):
	case r.Kind == Model && room >= minShown:
		a.cut(i, fence.Fit(r.Text, room))
	default:
		a.shown[i] = ""
	}
}

// size is the present size of the text.
func (a *assembly) size() token.Count { return token.OfText(a.write()) }

// write returns the text in its present state.
func (a *assembly) write() string {
	var b, list strings.Builder
	b.WriteString(assembleTitle + assembleNote + a.frame)
	last := len(a.roots) - 1
	if a.few > 1 {
		fmt.Fprintf(&list, "- %s … %s: the oldest, %s\n", a.roots[0].Key, a.roots[a.few-1].Key, span(a.roots[0].From, a.roots[a.few-1].To))
	}
	titled := false
	for i, r := range a.roots {
		switch {
		case i == last:
			b.WriteString(recent)
			a.block(&b, i)
		case a.shown[i] != "":
			if !titled {
				b.WriteString(highLevel)
				titled = true
			}
			a.block(&b, i)
		case i >= a.few || a.few == 1:
			fmt.Fprintf(&list, "- %s (depth %d, %s): %s\n", r.Key, r.Depth, span(r.From, r.To), firstLine(Gist(r.Text), lineChars))
		}
	}
	if list.Len() > 0 {
		b.WriteString(idList + list.String())
	}
	return b.String() + a.tail
}

// block writes a root with its text, in a fence that the text cannot close.
func (a *assembly) block(b *strings.Builder, i int) {
	r := a.roots[i]
	fmt.Fprintf(b, "%s (depth %d, %s)\n%s\n", r.Key, r.Depth, span(r.From, r.To), fence.Block(withoutTags(a.shown[i])))
}

// withoutTags defuses the tags that pi puts around summaries and file lists, which would
// end early if the text contained one: <summary> becomes ‹summary›.
func withoutTags(text string) string {
	return regexp.MustCompile(`(?i)<(/?)(summary|read-files|modified-files)>`).ReplaceAllString(text, "‹$1$2›")
}

// fileTags writes the lists of files as pi does, so that the next summary finds them.
func fileTags(f Files, budget token.Count) string {
	var b strings.Builder
	for _, l := range []struct {
		tag   string
		paths []string
	}{{"modified-files", f.Modified}, {"read-files", f.Read}} {
		if len(l.paths) == 0 {
			continue
		}
		var lines strings.Builder
		for _, p := range l.paths {
			line := withoutTags(fence.OneLine(p, 0)) + "\n"
			if token.OfText(b.String()+lines.String()+line) > budget {
				lines.WriteString("(and others)\n")
				break
			}
			lines.WriteString(line)
		}
		fmt.Fprintf(&b, "\n<%s>\n%s</%s>\n", l.tag, lines.String(), l.tag)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Gist returns a summary without the note that begins an extract.
func Gist(text string) string {
	if strings.HasPrefix(text, extractNote) {
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			return rest
		}
	}
	return text
}

// mostPinned is how much of the pinned outputs a compaction carries over.
const mostPinned token.Count = 4000

// Pinned returns the section of a compaction with the tool results that the user pinned and that
// it removes: of a file the newest, whatever compactions came before. Results for which there is
// no room are returned as left, by their ids. pins reports whether a result is pinned.
func (b *Branch) Pinned(pins func(entry string, a tool.Access) bool) (section string, left []string, err error) {
	calls := make(map[string]*message.Call)
	for i := range len(b.Units) + len(b.kept) {
		h := &b.at(i).Message
		for j := range h.Calls {
			calls[h.Calls[j].ID] = &h.Calls[j]
		}
	}
	room, seen := mostPinned, make(map[string]bool)
	var out []string // newest first
	for i := len(b.Units) + len(b.kept) - 1; i >= 0; i-- {
		n := b.at(i)
		call := calls[n.Message.ToolCallID]
		if call == nil || n.Message.Role != message.RoleToolResult || n.Message.IsError {
			continue
		}
		a := tool.AccessOf(call.Name, call.Arguments, b.dir)
		if !pins(n.ID, a) || a.Path != "" && seen[a.Path] {
			continue
		}
		seen[a.Path] = true
		if i >= len(b.Units) { // it stays
			continue
		}
		raw, err := b.line(n)
		if err != nil {
			return "", nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		body := fence.Plain(string(n.AppendBody(nil, raw)))
		if token.OfText(body) > room {
			left = append(left, n.ID)
			continue
		}
		room -= token.OfText(body)
		out = append(out, fmt.Sprintf("%s %s (%s):\n%s\n", fence.OneLine(call.Name, 40), fence.OneLine(tool.MainArgument(call.Arguments), 200), fence.OneLine(n.ID, 40), fence.Block(body)))
	}
	if len(out) == 0 {
		return "", left, nil
	}
	slices.Reverse(out)
	return "\n### Pinned by the user, as it was read\n\n" + strings.Join(out, "\n"), left, nil
}

package summary_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
)

// share counts how much of some kind of text stands in a context after a compaction.
type share struct{ kept, all int }

// look looks in a context for the beginnings of texts, at most eight of each session.
func (c *share) look(texts []string, context string) {
	step := max(1, len(texts)/8)
	for i, n := 0, 0; i < len(texts) && n < 8; i, n = i+step, n+1 {
		begin := plainly(texts[i])
		if c.all++; strings.Contains(context, begin[:min(len(begin), 45)]) {
			c.kept++
		}
	}
}

// plainly is a text on one line, without marks of Markdown.
func plainly(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("**", "", "`", "").Replace(s)), " ")
}

// findings are the sentences of a text that have a name or a number.
func findings(text string) []string {
	named := regexp.MustCompile("`[^`]+`|[a-z][A-Z]|\\w_\\w|\\w/\\w|\\w\\.[a-z]{1,4}\\b|\\d")
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "#*->= 0123456789.)")
		for _, s := range regexp.MustCompile(`[.!?] `).Split(line, -1) {
			if len(s) >= 40 && named.MatchString(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// errorIn is the first line of the output of a call that failed, "" if a user stopped it.
func errorIn(text string) string {
	if strings.Contains(text, "user doesn't want") || strings.Contains(text, "Request interrupted") || text == "Command aborted" {
		return ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) > 8 && !strings.HasPrefix(strings.ToLower(line), "exit code") && !strings.HasPrefix(line, "Command exited") {
			return line
		}
	}
	return ""
}

// The context after a compaction without a model holds three of four sentences of the model
// that have a name or number, and 85 % of the error messages of tools.
func TestTheContextAfterAnExtractHoldsFindingsAndErrors(t *testing.T) {
	var found, failed share
	for _, file := range append(others(t), sessionFiles(t)...) {
		s := read(t, file)
		cut := s.piCut()
		var said, errs []string
		for _, n := range s.tree.Path(s.leaf) {
			if n.ID == cut || cut == "" {
				break
			}
			line := s.lines[n.ID]
			if n.Message.Role == message.RoleAssistant {
				said = append(said, findings(n.Message.Text(n.Body.Of(line)))...)
			}
			if e := errorIn(string(n.AppendBody(nil, line))); n.Message.IsError && e != "" {
				errs = append(errs, e)
			}
		}
		if len(said)+len(errs) > 0 {
			context := plainly(s.extracted(t, cut) + s.keptText(t, cut))
			found.look(said, context)
			failed.look(errs, context)
		}
	}
	t.Logf("findings: %d of %d, errors: %d of %d", found.kept, found.all, failed.kept, failed.all)
	if found.kept*4 < found.all*3 {
		t.Errorf("%d of %d sentences with a name or number are left", found.kept, found.all)
	}
	// A quarter of the recorded failures begin with what a tool prints in any case.
	if others(t) != nil && failed.kept*100 < failed.all*85 {
		t.Errorf("%d of %d errors are left", failed.kept, failed.all)
	}
}

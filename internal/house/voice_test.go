package house

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// unvoiced are phrases that users must not read: idioms that a native speaker stumbles
// over, and private words. Each is followed by what to say.
var unvoiced = [][2]string{
	{`\b(take|takes|took|taken|taking)\b[^.\n]{0,40} out of\b`, "remove from, delete from"},
	{`\btakes? (it|them|pictx) out\b`, "remove"},
	{`\b[Pp]uts? (pictx|it) into (an agent|pi)\b`, "install in"},
	{`\bin the place of\b`, "replace, restore"},
	{`\b[Gg](ive|ives) back\b`, "reclaim, return, print"},
	{`\b[Ll]ooks? after\b`, "manage, check"},
	{`\bdearer\b`, "more expensive"},
	{`\bpays? off\b`, "saves"},
	{`\bis like that\b`, "no matching entries"},
	{`\bthe session goes on without it\b`, "what happened, and what it means"},
	{`\bno hello\b`, "pictx did not start within 2 s"},
	{`\bno (answer|reply) (with)?in\b`, "did not reply within"},
	{`\b(answers|calls) (old|ago)\b`, "responses"},
	{`\b[Pp]rices are not in them\b`, "give the price"},
	{`\bpictx (was|is) (ended|killed) by\b`, "pictx was stopped by"},
	{`\bwhat goes on\b`, "name the thing"},
	{`\bmust not be there\b`, "must not exist yet"},
	{`\bprint what would go\b`, "show what would be deleted"},
	{`\bonly say (what|whether)\b`, "only show, only report"},
	{`\b[Mm]end what can be mended\b`, "repair what can be repaired"},
	{`\b(add|change) it though\b`, "even if"},
	{`\bmind (no )?upper and lower case\b`, "match case, ignore case"},
	{`\bgo on with what is added\b`, "keep printing new events"},
	{`\bwhose (.id.|id) begins so\b`, "begins with this"},
	{`\b(command|it) needs more\. `, "say what is missing"},
	{`\bpruned by itself\b`, "pruned automatically"},
	{`\b[Tt]he coming requests\b`, "further requests"},
	{`\bcannot be had back\b`, "cannot be restored"},
	{`\bwhat was there is\b`, "the previous files are"},
	{`\bhas not the hash\b`, "its hash differs"},
	{`\bmakes? no sense\b`, "cannot be understood"},
	{`\bstands? before nothing\b`, "has no value"},
	{`\bit is a draft since\b`, "it has been a draft for"},
	{`\bthis shell runs in no session\b`, "no session given"},
	{`\b(took|take) back: `, "undid, would undo"},
	{`\bwhatever their status is\b`, "of any status"},
	{`\bso many .?tokens`, "this many tokens"},
	{`\bis made again\b`, "is rebuilt"},
	{`\b[Nn]obody can be asked\b`, "without a screen nobody can confirm it"},
	{`\b[Ll]ines? of reference\b`, "marker, reference"},
	{`\banew\b`, "again, rebuild, rewrite"},
	{`\btells? whether\b`, "reports whether"},
	{`\b(has|have) no one to ask\b`, "has no model to ask"},
	{`\bputs? lines together\b`, "extracts"},
	{`\bput together from lines\b`, "extracted from"},
	{`\b(is|are) no (text|id|time|file|day|tag|glob|size|number|version|directory|submodule|object|answer|range|event|JSON|page)\b`, "is not a, invalid"},
	{`\b[Nn]obody was asked\b`, "say what the reader does"},
	{`\bWISHES\b`, "INSTRUCTIONS"},
	{`\bof what is not there\b`, "unresolved, missing"},
	{`\bfor a person to decide\b`, "only a person may do this"},
	{`\bbe pruned again\b`, "remove a pin"},
	{`\bwhich build this is\b`, "show the version"},
	{`(^|[.\n] ?)Again it does\b`, "running it again"},
	{`\bwhat (a change )?breaks\b`, "dependents"},
	{`\bsays? of every\b`, "tells you"},
	{`\bwhat answers anew\b`, "restart"},
	{`\bpins in force here\b`, "nothing is pinned"},
	{`\bsums \(d`, "summaries"},
	{`\bgoverns what\b`, "keeps the context small"},
	{`\bkeeps no file of\b`, "even with --no-session"},
	{`\b[Aa]ll that pictx declares\b`, "the tool definitions"},
	{`\bbefore that it is applied\b`, "on older versions"},
	{`\bcontent with less\b`, "spends only what it has saved"},
	{`\bsave several times what writing\b`, "save several times the cost of rewriting"},
	{`\bprunes before that pays\b`, "prunes early"},
	{`\bwould replace or move something\b`, "commands that replace or move files"},
	{`\b(your|its) user has off\b`, "what you have switched off"},
	{`\beverything works too\b`, "everything still works"},
	{`\bAll of pictx's answers\b`, "every command"},
	{`\b[Ll]et automatic rules\b`, "unpin"},
	{`\bor brings the files up to date\b`, "updates the files if needed"},
	{`\b[Tt]hey lie in\b`, "they are stored in"},
	{`\bis changed, whose\b`, "is the only event that is changed"},
	{`\basks for the one\b`, "say which flag asks for what"},
	{`\bare as they were\b`, "unchanged"},
	{`\bLCM %d msgs\b`, "messages in the history"},
	{`\bhad alternatives, and hold\b`, "rules that you chose"},
	{`\bcontent with a small gain\b`, "spends only what it has saved"},
	{`\bput summaries together\b`, "extract summaries"},
	{`\bobject a line\b`, "one object per line"},
	{`\btake that for an answer\b`, "count as an answer"},
	{`\bis not told of\b`, "has not configured, does not know"},
	{`\bit pays (above|off)\b`, "worth it above, saves"},
	{`\b(works|versions), too\b`, "also works"},
	{`\bis there already\b`, "already exists"},
	{`\btrust decision is saved\b`, "until you say that you trust it"},
	{`\bis shown no\b`, "sees no decisions"},
	{`\b(superseding|This) wants\b`, "needs"},
	{`\b[Rr]emembered as\b`, "pictx recorded"},
	{`\bagain that gave it\b`, "run the tool again"},
	{`\bunder 200 tokens: |small: under`, "under 200 tokens"},
}

// spoken returns what users may read of a Go file that ships: its string literals.
func spoken(f file) []string {
	var out []string
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// TestUsersReadNoPhraseThatMustNotComeBack reads every message in the code, the help
// texts and topics, the manual pages, the README, the pages of docs, and the extension of pi.
func TestUsersReadNoPhraseThatMustNotComeBack(t *testing.T) {
	texts := map[string][]string{}
	for _, f := range files(t) {
		part, _, _ := strings.Cut(f.dir, "/")
		if !f.test && part != "internal" && part != "bench" {
			texts[f.name] = spoken(f)
		}
	}
	wrap := regexp.MustCompile(`([^\n])\n([^\n])`) // a phrase may be broken over two lines
	for _, pattern := range []string{"README.md", "docs/*.md", "commands/help/*.txt", "commands/topics/*.txt", "man/*.[17]", "hooks/*.json", "hooks/*/*.json", "hooks/pi/extension/*.ts"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no file is called %s (%v)", pattern, err)
		}
		for _, p := range found {
			b := must.Get(os.ReadFile(p))(t)
			texts[p] = []string{wrap.ReplaceAllString(string(b), "$1 $2")}
		}
	}
	for _, phrase := range unvoiced {
		re := regexp.MustCompile(phrase[0])
		for name, list := range texts {
			for _, s := range list {
				for _, at := range re.FindAllStringIndex(s, -1) {
					if !strings.HasSuffix(strings.ToLower(s[:at[0]]), "there ") {
						t.Errorf("%s says %q: say %s", name, s[at[0]:at[1]], phrase[1])
					}
				}
			}
		}
	}
}

func TestThePhrasesAreFound(t *testing.T) {
	for sentence, want := range map[string]bool{
		"took npm:x out of settings.json": true, "zzz is no id of a summary": true, "there is no file x": false,
		"no hello in 2000 ms": true, "no answer within 60 s": true, "its output is 2 answers old": true, "removed npm:x from settings.json": false,
		"150 messages on this branch are as they were": true, "pictx governs what pi has in its context": true,
		"it is content with less than that": true, "they lie in .pi": true, "they are stored in .pi": false,
	} {
		got := false
		for _, phrase := range unvoiced {
			at := regexp.MustCompile(phrase[0]).FindStringIndex(sentence)
			got = got || at != nil && !strings.HasSuffix(sentence[:at[0]], "there ")
		}
		must.Equal(t, got, want, "%q", sentence)
	}
}

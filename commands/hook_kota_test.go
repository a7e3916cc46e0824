package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/internal/must"
)

// Holds prune 54.
func TestKotaPruningShowsWhatWentAndWhy(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("shop-main.jsonl")
	if r := p.command(leaf, "kota", "callers add"); !strings.Contains(r.Result.Text, "does not know callers add") || !strings.HasSuffix(r.Result.Text, "The model asks these questions itself. In a shell: pictx kota --help.") {
		t.Errorf("%s", r.Result.Text)
	}
	r := p.command(leaf, "kota", "pruning")
	for _, want := range []string{"Pruning is on: policy auto, mode auto.", "Nothing was pruned"} {
		must.Contain(t, r.Result.Text, want, "before:")
	}
	turn := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
	leaf = p.keep(turn, leaf)
	r = p.command(leaf, "kota", "pruning")
	for _, want := range []string{
		"Pruned last:\n", " tool outputs, ", "; pruned: ", "Pruned from all further requests: ",
	} {
		must.Contain(t, r.Result.Text, want, "after:")
	}
	if !regexp.MustCompile(`\n  [0-9a-f]{8}  [\d.]+K? tokens  \[pruned: \w+ .*\(~\d+ tok\).*; full text: pictx expand [0-9a-f]{8}\] \(\w+\)\n`).MatchString(r.Result.Text) {
		t.Errorf("no result, or not why it went: %s", r.Result.Text)
	}
	for settings, want := range map[string]string{
		"[prune]\nmode = \"off\"\n":    "switched off (prune.mode is off)",
		"[prune]\nenabled = false\n":   "switched off (prune.enabled)",
		"[prune]\npolicy = \"kota\"\n": "policy kota, mode auto, the last 2 turns stay, of older ones outputs up to 1200 characters, stricter from ",
		"[prune]\npolicy = \"seed\"\n": "policy seed, mode auto, the last 2 turns and 40.0K tokens of output before them stay, at least 20.0K go at once",
	} {
		p.config(settings)
		must.Contain(t, p.command(leaf, "kota", "pruning").Result.Text, want, "%q", settings)
	}
}

func TestKotaPinKeepsTheLastSummaryAndThenTheLastOutput(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("notes-1.5.jsonl")
	for i, tool := range []string{"kota_impact", "bash"} {
		id := fmt.Sprintf("result0%d", i)
		leaf = p.message(leaf, id, fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d","toolName":%q,"content":[{"type":"text","text":"risk: low"}],"isError":false,"timestamp":1}`, i, tool))
	}
	for _, want := range []string{"Pinned result00", "Pinned result01", "every tool output in this context is pinned"} {
		r := p.command(leaf, "kota", "pin")
		must.Contain(t, r.Result.Text, want, "what it says")
		leaf = p.keep(r, leaf)
	}
	must.Contain(t, p.command(leaf, "pictx", "pins").Result.Text, "2 pins", "what it says")
}

func TestKotaBlobsAreShownAndPurgedOnceThatIsConfirmed(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("notes-1.5.jsonl")
	r := p.command(leaf, "kota", "blobs")
	must.Not(t, !strings.HasPrefix(r.Result.Text, "0 full outputs stored in "+filepath.Join(p.dir, "pictx", "blobs")+", 0 B of 250.0 MB on disk."), "%s", r.Result.Text)
	must.Contain(t, p.command(leaf, "kota", "purge-blobs").Result.Text, "No full outputs are stored.", "what it says")
	cache := blob.At(filepath.Join(p.dir, "pictx", "blobs"), time.Now)
	var ids []string
	for i := range 12 {
		info := must.Get(cache.Put(t.Context(), fmt.Appendf(nil, "text %d", i), ""))(t)
		ids = append(ids, info.ID)
	}
	if r := p.command(leaf, "kota", "blobs"); !strings.HasPrefix(r.Result.Text, "12 full outputs stored in ") || !strings.Contains(r.Result.Text, ids[11][:12]+"  7 B  used just now") || !strings.Contains(r.Result.Text, "and 2 more") {
		t.Errorf("%s", r.Result.Text)
	}
	payload := map[string]any{"name": "kota", "args": "purge-blobs"}
	for _, more := range [][]any{{"hasUI", false}, {"nested", true}} {
		must.Contain(t, parseReply(t, p.once("command", p.request("command", leaf, payload, more...))).Result.Text, "without a screen nobody can confirm it", "%v", more)
	}
	asked := p.once("command", p.request("command", leaf, payload))
	must.Stop(t, !strings.Contains(asked, `"kind":"confirm","title":"Delete 12 full outputs?"`) || !strings.Contains(asked, "and 2 more"), "asked %s", asked)
	answered := func(value map[string]any) reply {
		value["id"] = "kota.purge"
		return parseReply(t, p.once("command", p.request("command", leaf, payload, "replies", []any{value})))
	}
	for _, no := range []map[string]any{{"value": false}, {"cancelled": true}, {"error": "gone"}} {
		must.Contain(t, answered(no).Result.Text, "Nothing was deleted.", "what it says")
	}
	if all, err := cache.List(); err != nil || len(all) != 12 {
		t.Fatalf("%d blobs after a no, %v", len(all), err)
	}
	must.Contain(t, answered(map[string]any{"value": true}).Result.Text, "Deleted 12 full outputs.", "what it says")
	if all, err := cache.List(); err != nil || len(all) != 0 {
		t.Errorf("%d blobs after a yes, %v", len(all), err)
	}
}

func TestAPersonAsksInPiWhatTheModelAsksWithTools(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	r := p.command("", "kota", "usages total")
	must.Not(t, !strings.Contains(r.Result.Text, "no TypeScript, JavaScript or Go"), "a project without code: %+v", r.Result)
	for name, source := range map[string]string{
		"cart.ts":      "export function total(): number {\n  return 1;\n}\n",
		"shop.ts":      "import { total } from './cart';\nexport const price = total();\n",
		"cart.test.ts": "import { total } from './cart';\ntest('total', () => total());\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(p.project, name), []byte(source), 0o600))
	}
	r = p.command("", "kota", "usages total")
	must.Not(t, len(r.Ask) != 1 || r.Ask[0].Title != "Index project?", "before it is indexed: %+v", r)
	p.config("[kota]\nconfirm_index = false\n")
	p.command("", "kota", "index")
	for question, want := range map[string]string{
		"usages total":         "shop.ts",
		"usages total cart.ts": "shop.ts",
		"search total":         "cart.ts",
		"deps cart.ts":         "shop.ts",
		"impact cart.ts":       "cart.test.ts",
	} {
		if r := p.command("", "kota", question); !strings.Contains(r.Result.Text, want) || r.Result.Level != "info" || r.Result.Error != "" {
			t.Errorf("/kota %s, which should say %s: %+v", question, want, r.Result)
		}
	}
	for question, want := range map[string]string{"usages": "/kota usages needs the name of a symbol.\n/kota status", "impact": "/kota impact needs a file.\n/kota status", "deps nosuch.ts": "find file nosuch.ts: it is not in the index"} {
		r := p.command("", "kota", question)
		must.Not(t, !strings.HasPrefix(r.Result.Text, want) || r.Result.Level != "warning" || r.Result.Error != "", "/kota %s: %+v", question, r.Result)
	}
}

func TestKotaIsThereWhileItHasSomethingToSay(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	for settings, want := range map[string]bool{
		"": true, "[prune]\nenabled = false\n": true, "[blobs]\nenabled = false\n": true, "[prune]\nenabled = false\n[blobs]\nenabled = false\n": false,
	} {
		p.config(settings)
		hello := p.once("hello", nil)
		must.Not(t, strings.Contains(hello, `"name":"kota"`) != want, "%q: %s", settings, hello)
	}
	p.config("")
	must.Contain(t, p.command("", "kota", "what").Result.Text, "/kota purge-blobs", "what it says")
	r := parseReply(t, p.once("complete", p.request("complete", "", map[string]any{"name": "kota", "prefix": "p"})))
	must.Not(t, len(r.Result.Items) != 3, "%+v", r.Result.Items)
}

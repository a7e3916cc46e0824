package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

func TestTheNumbersAreThoseOfPiKotasDesign(t *testing.T) {
	want := KotaSettings{KeepRecentTurns: 2, MaxToolChars: 1200, Adaptive: true, AdaptiveTokens: 120_000, PinImpact: true}
	must.Match(t, DefaultKota(), want, "what differs")
}

// chars is a result of n characters.
func (t *talk) chars(tool, args string, n int) int {
	id := t.ask("toolUse", tool, args)
	return t.add(text(id, tool, strings.Repeat("x", n)))
}

func (t *talk) kota(set KotaSettings, tokens token.Count) Plan {
	return NewKota(set).at(t.of(tokens), t.parse())
}

// of is a context of the given size.
func (t *talk) of(tokens token.Count) moment {
	s := t.now()
	s.Floor, s.Scale = max(0, tokens-NewInput(t.parse(), Situation{}).total), 1
	return s
}

func TestKotaPrunesLongOutputOfOlderTurns(t *testing.T) {
	var k talk
	k.user()
	read := k.chars("read", `{"path":"a"}`, 1201)
	bash := k.chars("bash", `{"command":"b"}`, 5000)
	short := k.chars("read", `{"path":"c"}`, 1200)
	grep := k.chars("grep", `{"pattern":"d"}`, 5000)
	snippet := k.chars("kota_search", `{"query":"q","output":"snippet"}`, 5000)
	compact := k.chars("kota_search", `{"query":"q"}`, 5000)
	paths := k.chars("kota_search", `{"query":"q","output":"paths"}`, 5000)
	impact := k.chars("kota_impact", `{"symbol":"s"}`, 5000)
	id := k.ask("toolUse", "bash", `{}`)
	wrong := k.add(failed(text(id, "bash", strings.Repeat("x", 5000))))
	k.user()
	recent := k.chars("read", `{"path":"e"}`, 5000)
	wantCodes(t, k.kota(DefaultKota(), 0), map[int]string{read: CodeTurn, recent: CodeTurn})
	k.user()
	wantCodes(t, k.kota(DefaultKota(), 0), map[int]string{
		read: CodeOld, bash: CodeOld, short: CodeSmall, grep: CodeTool, snippet: CodeOld, compact: CodeTool, paths: CodeTool,
		impact: CodeTool, wrong: CodeError, recent: CodeTurn,
	})
}

func TestKotaIsStricterInALargeContext(t *testing.T) {
	var k talk
	k.user()
	medium := k.chars("read", `{"path":"a"}`, 801)
	short := k.chars("read", `{"path":"b"}`, 800)
	grep := k.chars("grep", `{"pattern":"d"}`, 5000)
	impact := k.chars("kota_impact", `{"symbol":"s"}`, 5000)
	task := k.chars("task", `{}`, 5000)
	k.user()
	wantCodes(t, k.kota(DefaultKota(), 119_999), map[int]string{medium: CodeTurn, grep: CodeTurn})
	wantCodes(t, k.kota(DefaultKota(), 120_000), map[int]string{medium: CodeOld, short: CodeSmall, grep: CodeOld, impact: CodePinned, task: CodeTool})
	// What a person unpins goes, although the tool's name would keep it.
	released := k.of(120_000)
	released.Pins.Released = []string{"e" + itoa(impact)}
	wantCodes(t, NewKota(DefaultKota()).at(released, k.parse()), map[int]string{impact: CodeOld, task: CodeTool})
	set := DefaultKota()
	set.Adaptive = false
	wantCodes(t, k.kota(set, 120_000), map[int]string{medium: CodeTurn, grep: CodeTurn})
	set = DefaultKota()
	set.PinImpact, set.KeepRecentTurns, set.MaxToolChars = false, 0, 300
	wantCodes(t, k.kota(set, 120_000), map[int]string{impact: CodeOld, short: CodeOld}) // never looser
}

// pi-kota lets the text come back when pruning brings the context under the limit;
// here what was decided stays.
//
// Holds prune 32.
func TestKotaDoesNotFlap(t *testing.T) {
	var k talk
	k.user()
	at := k.chars("read", `{"path":"a"}`, 5000)
	k.user().say(1)
	p := k.kota(DefaultKota(), 120_000)
	wantCodes(t, p, map[int]string{at: CodeOld})
	s := k.now()
	s.Floor, s.Scale = 1, 1
	again := NewKota(DefaultKota()).at(s, pruned(k.parse(), p))
	for _, kept := range again.Kept {
		must.Not(t, kept.Index == at && kept.Reason.Code != CodeTurn && kept.Reason.Code != CodeMarked || len(again.Edits) > 0, "%+v", kept)
	}
}

func TestTheMarkerOfKotaNamesTheCall(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{`{"path":"src/app.ts","offset":10}`, `path="src/app.ts", offset=10`},
		{`{}`, ``},
		{`{"command":"echo \"a\"\n\u202e"}`, `command="echo \"a\"\n\u202e"`},
		{`{"a":["code"],"b":true}`, `a=["code"], b=true`},
	} {
		var k talk
		k.user()
		at := k.chars("read", c.args, 5000)
		k.user().user()
		got := markerAt(t, k.kota(DefaultKota(), 0), at)
		want := "(Pruned) read(" + strings.ReplaceAll(c.want, `["code"]`, `[\"code\"]`) + "). Re-run with narrower parameters to rehydrate."
		must.Not(t, got != want, "got  %s\nwant %s", got, want)
	}
	var k talk
	k.user()
	args := make([]string, 50)
	for i := range args {
		args[i] = fmt.Sprintf(`"argument%d":"%s"`, i, strings.Repeat("v", 50))
	}
	at := k.chars("bash", "{"+strings.Join(args, ",")+"}", 5000)
	k.user().user()
	if got := markerAt(t, k.kota(DefaultKota(), 0), at); len(got) > 300 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

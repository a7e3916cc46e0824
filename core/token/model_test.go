package token

import (
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

func TestTheTableSaysWhereAndWhenItIsFrom(t *testing.T) {
	if _, err := time.Parse(time.DateOnly, CatalogDate()); err != nil {
		t.Errorf("Date: %v", err)
	}
	if v := CatalogSource(); strings.Count(v, ".") != 2 {
		t.Errorf("CatalogSource() = %q, want a version", v)
	}
}

func TestEveryLineOfTheTableIsReadWhole(t *testing.T) {
	lines := strings.Count(catalog, "\n") - 2 // comments
	all := allModels()
	if len(all) != lines || lines < 1000 {
		t.Fatalf("%d models in %d lines", len(all), lines)
	}
	for _, m := range all {
		if m.Provider == "" || m.ID == "" || m.API == "" || m.Window <= 0 || m.Cost.Input < 0 {
			t.Errorf("incomplete: %+v", m)
		}
		for i, tier := range m.Tiers {
			if tier.Above <= 0 || i > 0 && tier.Above <= m.Tiers[i-1].Above {
				t.Errorf("%s/%s: tiers do not ascend: %+v", m.Provider, m.ID, m.Tiers)
			}
		}
		if found, ok := FindModel(m.Provider, m.ID); !ok || found.Cost != m.Cost {
			t.Errorf("FindModel(%q, %q) = %+v, %v", m.Provider, m.ID, found, ok)
		}
	}
}

func TestFindTakesTheNamesOfOneModelOnly(t *testing.T) {
	opus, ok := FindModel("anthropic", "claude-opus-5-5")
	want := Cost{Input: 4, Output: 20, CacheRead: 0.2, CacheWrite: 5}
	if !ok || opus.Cost != want || opus.CacheShort != 5*time.Minute || opus.CacheLong != time.Hour || opus.Window != 1_000_000 {
		t.Errorf("claude-opus-5-5: %+v, %v", opus, ok)
	}
	if m, ok := FindModel("anthropic", "claude-opus-5-5-20261109"); !ok || m.ID != "claude-opus-5-5" {
		t.Errorf("a dated id: %+v, %v", m, ok)
	}
	for _, name := range [][2]string{
		{"llamacpp", "glm-4.7"},
		{"anthropic", "claude-opus-5-5-turbo"},
		{"anthropic", "claude-opus"},
		{"", "claude-opus-5-5"},
		{"anthropic", ""},
		{"anthropic", "claude-opus-5-5\tanthropic-messages"},
		{"ollama", "kimi-k2:1t"},
	} {
		if m, ok := FindModel(name[0], name[1]); ok {
			t.Errorf("FindModel(%q) = %+v, want none", name, m)
		}
	}
}

func TestARequestAboveATierCostsThatTierWhole(t *testing.T) {
	haiku, _ := FindModel("anthropic", "claude-haiku-5-5")
	if c := haiku.CostAt(100_000); c.Input != 0.1 {
		t.Errorf("at the step: %+v", c)
	}
	if c := haiku.CostAt(100_001); c.Input != 0.5 || c.CacheRead != 0.05 {
		t.Errorf("above it: %+v", c)
	}
	must.Equal(t, haiku.Cost.Dollars(1_000_000, 1_000_000, 0, 0), 0.6, "Dollars")
}

func TestFreeModelsAreToldFromUnknownOnes(t *testing.T) {
	free := 0
	for _, m := range allModels() {
		if m.Free() {
			free++
		}
	}
	if free < 50 {
		t.Errorf("%d free models", free)
	}
	if m, _ := FindModel("anthropic", "claude-opus-5-5"); m.Free() {
		t.Error("a paid model is free")
	}
}

func TestThinkingIsBoundFromFable51AndGPT62On(t *testing.T) {
	const anthropic, responses, chat = "anthropic-messages", "openai-responses", "openai-completions"
	for _, test := range []struct {
		id, api string
		effort  bool
		want    Binding
	}{
		{"claude-opus-5-5", anthropic, true, Drops},
		{"claude-opus-5-5", anthropic, false, Refuses},
		{"anthropic/claude-opus-5.5-fast", anthropic, false, Refuses},
		{"us.anthropic.claude-opus-5-5", "bedrock-converse-stream", false, Drops},
		{"claude-fable-5-1", anthropic, false, Refuses},
		{"claude-fable-5.2", anthropic, false, Refuses},
		{"claude-fable-5", anthropic, false, NotBound},
		{"claude-fable-5-20260301", anthropic, false, NotBound},
		{"claude-opus-5:batch", chat, false, NotBound},
		{"claude-opus-6", anthropic, true, Drops},
		{"claude-opus-4-5-20251101", anthropic, false, NotBound},
		{"claude-3-7-sonnet-20250219", anthropic, false, NotBound},
		{"us.anthropic.claude-sonnet-4-20250514-v1:0", "bedrock-converse-stream", false, NotBound},
		{"claude-opus-latest", anthropic, false, Refuses},
		{"anthropic/claude-opus-5.5:batch", chat, false, Refuses}, // carries signed thinking through a gateway
		{"gpt-6.2-sol", responses, true, Drops},
		{"gpt-6.2-sol", "openai-codex-responses", true, Drops},
		{"gpt-6.1-sol", responses, false, NotBound},
		{"gpt-5-mini", responses, false, NotBound},
		{"gpt-4o-2024-05-13", responses, false, NotBound},
		{"gpt-7", responses, false, Drops},
		{"gpt-oss-120b", chat, false, NotBound},
		{"gpt-daybreak-blue-latest", responses, false, Drops},
		{"gemini-4-argon", "google-generative-ai", false, Refuses},
		{"qwen3-coder-30b", chat, false, NotBound},
		{"anything", "", false, Refuses},
		{"claude-opus-5-5", "", false, Refuses},
		{"claude-opus-4-5", "", false, NotBound},
	} {
		m := Model{ID: test.id, API: test.api, Effort: test.effort, Thinks: true}
		must.Equal(t, m.Binding(), test.want, "%s over %q, effort %v", test.id, test.api, test.effort)
	}
	if m := (&Model{ID: "mistral-small", API: "pi-messages"}); m.Binding() != NotBound {
		t.Error("a model that does not think has thinking to protect")
	}
}

func FuzzFamilyOf(f *testing.F) {
	for _, m := range []string{"claude-opus-5-5", "gpt-6.2-sol", "gpt-oss-120b", "claude-", "gpt-99999999999999999999"} {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if _, v, ok := familyOf(id); ok && (v.major < 0 || v.major > 99 || v.minor < 0 || v.minor > 99) {
			t.Errorf("%q: version %+v", id, v)
		}
	})
}

// allModels returns all models of the table.
func allModels() []Model {
	var all []Model
	for line := range strings.Lines(catalog) {
		if m, ok := parse(strings.TrimSuffix(line, "\n")); ok {
			all = append(all, m)
		}
	}
	return all
}

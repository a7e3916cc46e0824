package pi

import (
	"strings"
	"testing"
)

func TestSettingsThatChangedSinceGetTheirEntriesBack(t *testing.T) {
	t.Parallel()
	const before = `{"packages": ["npm:a", {"source": "npm:b"}, "npm:c"], "extensions": ["~/x.ts"]}`
	after, u := `{"packages": ["npm:c"], "extensions": []}`, Undo{file: t.TempDir() + "/pictx/setup.json"}
	if err := u.Edits("settings.json", []byte(before), []byte(after)); err != nil {
		t.Fatal(err)
	}
	again, err := ReadUndo(u.file)
	if err != nil || len(again.Settings) != 1 {
		t.Fatalf("%+v, %v", again, err)
	}
	for _, tt := range []struct{ name, now, want, missing string }{
		{"unchanged", after, before, ""},
		{"something else was set", `{"packages": ["npm:c"], "extensions": [], "theme": "dark"}`, `{"packages": ["npm:a", {"source": "npm:b"}, "npm:c"], "extensions": ["~/x.ts"], "theme": "dark"}`, ""},
		{"written with line breaks", "{\n  \"packages\": [\n    \"npm:c\"\n  ],\n  \"extensions\": [\n  ]\n}\n", "{\n  \"packages\": [\n    \"npm:a\",\n    {\"source\": \"npm:b\"},\n    \"npm:c\"\n  ],\n  \"extensions\": [\"~/x.ts\"]\n}\n", ""},
		{"one is there again", `{"packages":["npm:c","npm:a"],"extensions":[]}`, `{"packages":["npm:c",{"source": "npm:b"}, "npm:a"],"extensions":["~/x.ts"]}`, ""},
		{"a list is gone", `{"packages": []}`, `{"packages": ["npm:a", {"source": "npm:b"}]}`, "~/x.ts"},
		{"not JSON any more", "{", "{", "npm:a npm:b ~/x.ts"},
	} {
		got, missing := again.Settings[0].Restore([]byte(tt.now))
		if string(got) != tt.want || strings.Join(missing, " ") != tt.missing {
			t.Errorf("%s:\n%s, missing %v; want\n%s, missing %s", tt.name, got, missing, tt.want, tt.missing)
		}
	}
}

package events

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/coctostan/pictx/internal/must"
)

// committed returns the text of a file of the module.
func committed(path string) (string, error) {
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	return strings.ReplaceAll(string(text), "\r\n", "\n"), err
}

func TestCommittedFilesAreCurrent(t *testing.T) {
	files := must.Get(Files(Table(), committed))(t)
	must.Equal(t, len(files), 5, "files list events")
	for path, text := range files {
		if has, err := committed(path); err != nil || has != text {
			t.Errorf("%s is not what the table says: make generate (%v)", path, err)
		}
	}
}

// toy is an event of pi that the program does not know.
func toy() Event {
	return Event{Name: "toy_moved", Const: "ToyMoved", Kind: Session, Background: true, Payload: "`toyId`", Result: "`entries`"}
}

// withToy returns the files of the table with one more row.
func withToy(t *testing.T) map[string]string {
	t.Helper()
	files := must.Get(Files(append(Table(), toy()), committed))(t)
	return files
}

func TestAnEventAddedToTheTableIsInEveryGeneratedList(t *testing.T) {
	files := withToy(t)
	for path, want := range map[string][]string{
		GoFile:                        {`EventToyMoved        = "toy_moved"`},
		"hooks/pi/extension/index.ts": {"  \"session_shutdown\",\n  \"toy_moved\",\n];"},
		"hooks/schema/v1/README.md":   {"`[{value, label, description}]` |\n| `toy_moved` | `toyId` | `entries` |\n\n## Reply"},
	} {
		for _, w := range want {
			must.Contain(t, files[path], w, "%s lacks", path)
		}
	}
	if _, err := parser.ParseFile(token.NewFileSet(), GoFile, files[GoFile], 0); err != nil {
		t.Error(err)
	}
	for _, list := range []string{"piEvents", "backgroundEvents", "FilterEvents"} {
		_, body, _ := strings.Cut(files[GoFile], "func "+list+"()")
		if body, _, _ = strings.Cut(body, "\n}\n"); !strings.Contains(body, "\tEventToyMoved,\n") {
			t.Errorf("%s lacks the event:\n%s", list, body)
		}
	}
}

// The schemas with one more row allow a request with the event, and a hello that wants
// it, has it in the background and gives it a time; without the row they do not.
func TestOneMoreRowIsAllowedByTheSchemas(t *testing.T) {
	files := withToy(t)
	for path, line := range map[string]string{
		"hooks/schema/v1/request.json": `{"v":1,"event":"toy_moved","cwd":"/w","session":{"id":"s"},"payload":{"toyId":"t"}}`,
		"hooks/schema/v1/reply.json": `{"hello":{"v":1,"version":"1","wants":["toy_moved"],"background":["toy_moved"],
			"timeouts":{"toy_moved":100}}}`,
	} {
		if err := validate(t, path, files[path], line); err != nil {
			t.Errorf("%s with the row: %v", path, err)
		}
		text := must.Get(committed(path))(t)
		if validate(t, path, text, line) == nil {
			t.Errorf("%s allows the event without its row", path)
		}
	}
}

// validate judges a line by the schema in a text.
func validate(t *testing.T, name, text, line string) error {
	t.Helper()
	var schema, v any
	for text, into := range map[string]*any{text: &schema, line: &v} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource(name, schema))
	s := must.Get(c.Compile(name))(t)
	return s.Validate(v)
}

// A row that is taken away leaves nothing behind.
func TestWithoutARowItsEventIsInNoList(t *testing.T) {
	grown := withToy(t)
	files := must.Get(Files(Table(), func(path string) (string, error) { return grown[path], nil }))(t)
	for path, text := range files {
		if has, err := committed(path); err != nil || has != text {
			t.Errorf("%s is not what it was (%v)", path, err)
		}
	}
}

func TestAFileWithoutItsListIsAnError(t *testing.T) {
	for _, text := range []string{"", "const EVENTS = [\n  \"context\",\n"} {
		_, err := Files(Table(), func(path string) (string, error) {
			if strings.HasSuffix(path, "index.ts") {
				return text, nil
			}
			return committed(path)
		})
		if err == nil || !strings.Contains(err.Error(), "list events in hooks/pi/extension/index.ts: missing line") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

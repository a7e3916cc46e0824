package commands_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/clitest"
)

// printed are command lines in the world of the test below, in order, each with the
// schema of what it prints with --json. ID is the first entry that grep found, DECISION
// the first decision, and + a space.
var printed = [...][2]string{
	{"import DATA/sessions", "import"},
	{"sessions", "sessions"},
	{"usage --by day", "usage"},
	{"grep tax", "grep"},
	{"expand ID", "expand"},
	{"history stats", "history stats"},
	{"history doctor", "history doctor"},
	{"history backup backup.db", "history backup"},
	{"history vacuum", "history vacuum"},
	{"history purge --after 2020-01-01 --dry-run", "history purge"},
	{"history redact duplicate --dry-run", "history redact"},
	{"compact --extract DATA/sessions/shop-main.jsonl", "compact"},
	{"tree DATA/sessions/shop-main.jsonl", "tree"},
	{"prune DATA/sessions/shop-main.jsonl", "prune"},
	{"replay DATA/sessions/notes-1.5.jsonl", "replay"},
	{"replay --check DATA/sessions/notes-1.5.jsonl", "replay --check"},
	{"blobs gc --dry-run", "blobs gc"},
	{"blobs verify", "blobs verify"},
	{"object verify", "object verify"},
	{"object gc", "object gc"},
	{"decision init --yes", "decision init"},
	{"decision enable --global", "decision enable"},
	{"decision add Prices+are+integers --tag money", "decision add"},
	{"decision list", "decision list"},
	{"decision show DECISION", "decision list"},
	{"decision search prices", "decision list"},
	{"decision status", "decision status"},
	{"decision context", "decision context"},
	{"decision history DECISION", "decision history"},
	{"decision audit", "decision audit"},
	{"decision purge --dry-run -c decisions.retention_days.draft=30 -c decisions.retention_days.rejected=90 -c decisions.retention_days.superseded=180", "decision purge"},
	{"config list", "config"},
	{"config get prune.mode", "config"},
	{"config path", "config path"},
	{"kota index", "kota index"},
	{"kota status", "kota status"},
	{"kota search total", "kota search"},
	{"kota deps src/money.ts", "kota deps"},
	{"kota deps src/money.ts --max-bytes 600", "kota deps"},
	{"kota usages total", "kota usages"},
	{"kota impact --delete src/money.ts", "kota impact"},
	{"kota context src/money.ts", "kota context"},
	{"kota context --query total", "kota context --query"},
	{"kota map", "kota map"},
	{"kota cycles", "kota cycles"},
	{"kota graph src/money.ts", "kota graph"},
	{"setup pi --check", "setup pi"},
	{"setup pi", "setup pi"},
	{"doctor", "doctor"},
	{"version", "version"},
	{"uninstall", "uninstall"},
}

// closedSchema compiles a published schema, and lets objects have the listed properties
// alone: what is printed and not listed is missing from it.
func closedSchema(t *testing.T, key string) *jsonschema.Schema {
	t.Helper()
	file := filepath.Join("..", "docs", "json", clitest.SchemaFile(key))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	closeObjects(doc)
	c := jsonschema.NewCompiler()
	if err := c.AddResource(file, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeObjects(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, isObject := v["properties"].(map[string]any); isObject && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
		for _, e := range v {
			closeObjects(e)
		}
	case []any:
		for _, e := range v {
			closeObjects(e)
		}
	}
}

func TestWhatCommandsPrintAsJSONFitsItsSchema(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("not run with -short: every command is a process of its own")
	}
	home := t.TempDir()
	data, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"shop/.git/HEAD":      "ref: refs/heads/main\n",
		"shop/src/money.ts":   "export function total(n: number) { return n }\n",
		"shop/src/cart.ts":    "import { total } from \"./money\"\nimport \"./missing\"\nexport const sum = total(1)\n",
		".pi/agent/AGENTS.md": "",
	} {
		p := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]string{"DATA": data}
	root := commands.Root(&cli.Env{})
	for _, p := range printed {
		for name, value := range ids {
			p[0] = strings.ReplaceAll(p[0], name, value)
		}
		args := strings.Fields(p[0])
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "+", " ")
		}
		if cmd, _, err := root.Find(args); err != nil || cmd.Flags().Lookup("json") == nil {
			t.Errorf("pictx %s: no such command with --json (%v)", p[0], err)
			continue
		}
		docs := documents(t, home, append(args, "--json"))
		schema := closedSchema(t, p[1])
		for _, doc := range docs {
			if err := schema.Validate(doc); err != nil {
				t.Errorf("pictx %s: %v", p[0], err)
			}
		}
		if p[1] == "grep" {
			ids["ID"] = idOf(docs, "entry")
		}
		if p[0] == "decision list" {
			ids["DECISION"] = idOf(docs, "id")
		}
	}
}

// documents runs a command and returns the JSON that it printed.
func documents(t *testing.T, home string, args []string) []any {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "pictx", args...)
	cmd.Dir = filepath.Join(home, "shop")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output() // checks that find something end with 1
	var docs []any
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.UseNumber()
	for {
		var doc any
		derr := dec.Decode(&doc)
		if errors.Is(derr, io.EOF) {
			break
		}
		if derr != nil {
			t.Fatalf("pictx %s: %v", strings.Join(args, " "), derr)
		}
		docs = append(docs, doc)
	}
	if len(docs) == 0 {
		t.Errorf("pictx %s printed nothing: %v: %s", strings.Join(args, " "), err, &said)
	}
	return docs
}

// idOf is a field of the first document.
func idOf(docs []any, field string) string {
	if len(docs) == 0 {
		return ""
	}
	object, _ := docs[0].(map[string]any)
	id, _ := object[field].(string)
	return id
}

// Every command with --json, --jq and --template has all three.
func TestEveryCommandWithJSONFiltersAndFormatsIt(t *testing.T) {
	t.Parallel()
	found := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup("json") != nil {
			found++
			for _, name := range []string{"jq", "template"} {
				if cmd.Flags().Lookup(name) == nil {
					t.Errorf("%s has --json and no --%s", cmd.CommandPath(), name)
				}
			}
		}
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look(commands.Root(&cli.Env{}))
	if found < 60 {
		t.Errorf("only %d commands with --json were found", found)
	}
}

package commands

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// sparseSession is a session with secrets beside the texts that people read: in members that
// pictx does not know, in ids, in names and in paths.
func sparseSession(cwd string) string {
	return strings.ReplaceAll(`{"type":"session","version":3,"id":"main","timestamp":"2026-03-02T09:00:00.000Z","cwd":"CWD","host":"SECRETq01","parentSession":"/tmp/SECRETq02.jsonl"}
{"type":"message","id":"5ec00001","parentId":null,"timestamp":"2026-03-02T09:01:00.000Z","note":"SECRETq03","message":{"role":"user","content":[{"type":"image","data":"SECRETq04","mimeType":"SECRETq05"}],"attachments":[{"fileName":"SECRETq06"}],"timestamp":1}}
{"type":"message","id":"5ec00002","parentId":"5ec00001","timestamp":"2026-03-02T09:02:00.000Z","message":{"role":"assistant","provider":"SECRETq07","model":"SECRETq08","content":[{"type":"toolCall","id":"call SECRETq09","name":"look SECRETq10","arguments":{"SECRETq11":{"deep":["SECRETq12"]}}}],"stopReason":"toolUse","timestamp":1}}
{"type":"message","id":"5ec00003","parentId":"5ec00002","timestamp":"2026-03-02T09:03:00.000Z","message":{"role":"toolResult","toolCallId":"call SECRETq09","toolName":"look SECRETq10","content":[{"type":"odd","data":"SECRETq13"},{"type":"text","text":"out"}],"details":{"SECRETq14":1},"isError":false,"timestamp":1}}
{"type":"message","id":"5ec00004","parentId":"5ec00003","timestamp":"2026-03-02T09:04:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c2","name":"read","arguments":{"path":"CWD/SECRETq15.txt"}}],"stopReason":"toolUse","timestamp":1}}
{"type":"message","id":"5ec00005","parentId":"5ec00004","timestamp":"2026-03-02T09:05:00.000Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"read","content":[{"type":"text","text":"a plain text\n"}],"isError":false,"timestamp":1}}
{"type":"custom","customType":"SECRETq16","data":{},"id":"5ec00006","parentId":"5ec00005","timestamp":"2026-03-02T09:06:00.000Z"}
{"type":"model_change","provider":"x","modelId":"SECRETq17","id":"5ec00007","parentId":"5ec00006","timestamp":"2026-03-02T09:07:00.000Z"}
{"type":"of_tomorrow","payload":{"SECRETq18":1},"id":"5ec00008","parentId":"5ec00007","timestamp":"2026-03-02T09:08:00.000Z"}
{"type":"message","id":"5ec00009","parentId":"5ec00008","timestamp":"SECRETq19","message":{"role":"user","content":"and now for something else","timestamp":1}}
{"type":"message","id":"5ec00010","parentId":"5ec00009","timestamp":"2026-03-02T09:10:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Gladly."}],"stopReason":"stop","timestamp":1}}
`, "CWD", cwd)
}

// Whatever member of a line has it, and whatever is called by it, a secret is gone from the
// store when pictx says so.
func TestSecretsBesideTheTextsOfASessionAreGone(t *testing.T) {
	t.Parallel()
	for _, erase := range [][]string{{"history", "redact", secretNumber.String(), "--yes"}, {"history", "purge", "--match", secretNumber.String(), "--yes"}} {
		t.Run(erase[1], func(t *testing.T) {
			t.Parallel()
			p := newAgent(t)
			main := filepath.Join(filepath.Dir(p.dir), "main.jsonl")
			p.plant(main, sparseSession(p.project))
			p.must("object", "nickname", p.project+"/SECRETq15.txt", "SECRETq20")
			p.must("compact", main, "--model", "none", "--keep", "1")
			if found := p.secrets(t); len(found) < 20 {
				t.Fatalf("before, only these are found: %v", found)
			}
			code, out, said := p.shellErr(erase...)
			must.Not(t, code != 0 || !strings.Contains(out, "verified: the bytes are gone"), "exit %d\n%s%s", code, out, said)
			if found := p.secrets(t); len(found) > 0 {
				t.Errorf("these are left: %v", found)
			}
			p.must("import", main)
			p.must("doctor")
			if found := p.secrets(t); len(found) > 0 {
				t.Errorf("these are back: %v", found)
			}
			if erase[1] == "redact" {
				p.shows(t, main)
			}
		})
	}
}

// Ids connect entries, so they stay; then it is not said that the bytes are gone, and a text
// beside such an id is masked all the same.
func TestAnIdThatIsASecretStaysAndIsSaid(t *testing.T) {
	t.Parallel()
	for _, erase := range [][]string{{"history", "redact", secretNumber.String(), "--yes"}, {"history", "purge", "--match", secretNumber.String(), "--yes"}} {
		p := newAgent(t)
		main := filepath.Join(filepath.Dir(p.dir), "main.jsonl")
		p.plant(main, `{"type":"session","version":3,"id":"main","timestamp":"2026-03-02T09:00:00.000Z","cwd":"`+p.project+`"}
{"type":"branch_summary","id":"SECRETq01","parentId":null,"timestamp":"2026-03-02T09:01:00.000Z","fromId":"root","summary":"the key is SECRETq02"}
{"type":"message","id":"5ec00002","parentId":"SECRETq01","timestamp":"2026-03-02T09:02:00.000Z","message":{"role":"user","content":"thanks","timestamp":1}}
`)
		code, out, said := p.shellErr(erase...)
		if code != 4 || strings.Contains(out, "verified") || !strings.Contains(said, "1 entry id") && !strings.Contains(said, "1 parent id") {
			t.Errorf("%v: exit %d\n%s%s", erase, code, out, said)
		}
		found := p.secrets(t)
		must.Not(t, len(found) != 1 || found[0] != "SECRETq01", "%v: these are left: %v", erase, found)
	}
}

package object

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

const session = "01a1fe4b-1b39-7000-8000-000000000001"

var lines = []string{
	`{"type":"message","id":"a0","message":{"role":"assistant","content":"Welcome back."}}`,
	`{"type":"message","id":"a1","parentId":"a0","message":{"role":"user","content":[{"type":"text","text":"Run the tests"},{"type":"image","data":"QQ=="}]}}`,
	`{"type":"message","id":"a2","parentId":"a1","message":{"role":"assistant","provider":"p","model":"m","api":"chat","stopReason":"toolUse","usage":{"input":7},"content":[` +
		`{"type":"thinking","thinking":"no"},{"type":"text","text":"I run them."},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"go test"}}]}}`,
	`{"type":"message","id":"a3","parentId":"a2","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","isError":true,"content":[{"type":"text","text":"FAIL"}]}}`,
	`{"type":"model_change","id":"a4","parentId":"a3","provider":"p","modelId":"m2"}`,
	`{"type":"message","id":"a5","parentId":"a4","message":{"role":"assistant","content":[{"type":"text","text":"One fails."},{"type":"text","text":"Shall I mend it?"}]}}`,
}

func compose(t *testing.T, lines ...string) *ChatText {
	t.Helper()
	b := NewChatText(session)
	for _, line := range lines {
		if err := b.AddLine([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestAChatIsWhatBothSidesSayAndTheCallsByReference(t *testing.T) {
	call := NewID(ToolcallKey(session, "a3", "c1"), 0)
	want := strings.Join([]string{
		"--- assistant", "Welcome back.",
		"--- user", "Run the tests", "[image]",
		"--- assistant", "I run them.",
		"--- toolcall [ref:" + call + "] tool=bash status=fail",
		"--- assistant", "One fails.", "Shall I mend it?", "",
	}, "\n")
	got := compose(t, lines...)
	must.Match(t, string(got.Text()), want, "what differs")
	must.Equal(t, got.turns, 1, "turns")
}

func TestALineThatIsNotAnEntryIsAnError(t *testing.T) {
	b := compose(t, lines[:2]...)
	before := string(b.Text())
	if err := b.AddLine([]byte(`{"type":"message"`)); err == nil {
		t.Error("half a line was taken")
	}
	must.Equal(t, string(b.Text()), before, "half a line changed the chat: %q", b.Text())
}

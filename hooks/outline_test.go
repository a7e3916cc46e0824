package hooks

import (
	"strings"
	"testing"
)

func TestTheLogHasTheFormOfARequestAndNoneOfItsTexts(t *testing.T) {
	got := outline([]byte(`{"toolName":"bash","content":[{"type":"text","text":"my password"}],"isError":false,"n":3}`))
	if want := `{"toolName":"4 bytes","content":[{"type":"4 bytes","text":"11 bytes"}],"isError":false,"n":3}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	long := outline([]byte(`["` + strings.Repeat(`secret","`, 1000) + `"]`))
	if len(long) > outlineBytes || strings.Contains(long, "secret") {
		t.Errorf("%d bytes: %s", len(long), long)
	}
	if got := outline([]byte(`{"a":`)); got != "not JSON" {
		t.Error(got)
	}
}

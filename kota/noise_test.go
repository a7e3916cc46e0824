package kota

import (
	"strings"
	"testing"
)

func TestAFileToReadListsWhatItExportsWithoutMethods(t *testing.T) {
	t.Parallel()
	f := TaskFile{Hit: Hit{File: "proxy.go", Line: 3, Text: "type Handler struct {", Why: "declares Handler"}, Exports: []string{"Dial", "Handler", "Handler.Serve", "Handler.Stop"}}
	if got := f.item().Text; !strings.HasSuffix(got, "exports Dial, Handler") {
		t.Errorf("%s", got)
	}
}

func TestAListOfTestsDoesNotSayOfEachThatItIsOne(t *testing.T) {
	t.Parallel()
	im := Impact{Tests: []Dep{{File: "a_test.go", Distance: 2, Test: true}}, TestTotal: 1}
	var lines []string
	for _, b := range im.Text(Window{}, "pictx kota impact").Blocks {
		for _, it := range b.Items {
			lines = append(lines, it.Text)
		}
	}
	if got := strings.Join(lines, "\n"); got != "  a_test.go  distance 2" {
		t.Errorf("%q", got)
	}
}

func TestABriefReportSaysHowToSeeWhatItLeavesOut(t *testing.T) {
	s := Status{Gaps: []Gap{{File: "a.ts", Line: 1, Spec: "./gone", Why: "not found"}}}
	if got := s.Brief(); strings.Contains(got, "./gone") || !strings.Contains(got, "pictx kota status") {
		t.Errorf("brief: %q", got)
	}
	if got := s.Report(); !strings.Contains(got, "  a.ts:1 ./gone: not found") {
		t.Errorf("whole: %q", got)
	}
}

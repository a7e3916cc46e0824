//go:build unix

package main

import (
	"strings"
	"testing"
)

func TestAnUnknownShapeIsAnErrorThatListsTheNames(t *testing.T) {
	if got, err := selectShapes("s", "a common word of"); err != nil || len(got) != 2 {
		t.Errorf("%d shapes, %v", len(got), err)
	}
	got, err := selectShapes("s", "nonsense")
	if err == nil || len(got) != 0 || !strings.Contains(err.Error(), `"nonsense"`) || !strings.Contains(err.Error(), "\nhint: the names are: a very common word; ") {
		t.Errorf("%d shapes, %v", len(got), err)
	}
}

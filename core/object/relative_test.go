package object_test

import (
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
)

// A path from the working directory is what tools take, and half as long.
func TestObjectsNamesFilesByTheirPathsFromTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	c, st := newControl(t)
	st.put("inner", object.FileKey("", "/w/src/inner.go"), "package src", nil)
	st.put("outer", object.FileKey("", "/web/outer.go"), "package web", nil)
	st.met = []string{"o-seen", "o-inner", "o-outer"}
	a, err := c.List(t.Context(), "type:file")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" seen,", " src/inner.go,", " /web/outer.go,"} {
		must.Contain(t, a.Text, want, "what it says")
	}
	must.Lack(t, a.Text, "/w/", "a path is longer than it has to be")
}

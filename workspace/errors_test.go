package workspace

import (
	"errors"
	"testing"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

func TestAQuestionInPlaceOfAFileIsToldHowToAskIt(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"where is the body limit": "pictx kota context --query 'where is the body limit'",
		"src/My File.ts":          "pictx kota search 'My File' --show paths",
	} {
		var e *exit.Error
		err := KotaError(&kota.UnknownFileError{File: file})
		must.Not(t, !errors.As(err, &e) || e.Hint != want, "%s: %v, want the hint %s", file, err, want)
	}
}

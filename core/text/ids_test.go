package text_test

import (
	"testing"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/must"
)

func TestShortIDsStayDistinct(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ids, want []string }{
		{[]string{}, []string{}},
		{[]string{"aaaaaaaa-1", "bbbbbbbb-1"}, []string{"aaaaaaaa", "bbbbbbbb"}},
		{[]string{"aaaaaaaa-1", "aaaaaaaa-2"}, []string{"aaaaaaaa-1", "aaaaaaaa-2"}},
		{[]string{"aaaaaaaa-1", "aaaaaaaa-1"}, []string{"aaaaaaaa", "aaaaaaaa"}},
		{[]string{"a", "aaaaaaaaaaaa"}, []string{"a", "aaaaaaaa"}},
		{
			[]string{"01a1fe4b-77de-7000-8000-000000000001", "01a1fe4b-9c00-7000-8000-000000000002", "short"},
			[]string{"01a1fe4b-7", "01a1fe4b-9", "short"},
		},
		{[]string{"red\u202e"}, []string{text.TerminalLine("red\u202e")}},
	} {
		must.Match(t, text.ShortIDs(c.ids), c.want, "%q", c.ids)
	}
}

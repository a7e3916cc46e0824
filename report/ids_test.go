package report

import "testing"

func TestIDLengthKeepsIDsDistinct(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ids  []string
		want int
	}{
		{nil, 8},
		{[]string{"aaaaaaaa-1", "bbbbbbbb-1"}, 8},
		{[]string{"aaaaaaaa-1", "aaaaaaaa-2"}, 10},
		{[]string{"aaaaaaaa-1", "aaaaaaaa-1"}, 8},
		{[]string{"a", "aaaaaaaaaaaa"}, 8},
	} {
		if got := idLength(c.ids); got != c.want {
			t.Errorf("%v: %d, want %d", c.ids, got, c.want)
		}
	}
}

package decision_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/decision"
)

func TestAMisspeltFieldOfAQueryIsSaid(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"stat:active": "status:", "tags:db": "tag:", "stat:foo": "status:", "https://example.invalid/x": "", "std::move": "",
		`"stat:foo"`: "", "a:b": "", "-stat:foo": "status:", "NEAR(": "", `a"b`: "",
	} {
		_, err := decision.ParseQuery(body)
		var wrong *decision.TextError
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", body, err)
		case want != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want a word about %s", body, err, want)
		}
	}
}

package code_test

import (
	"testing"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/internal/must"
)

func TestTheFirstIndexNeedsConsent(t *testing.T) {
	t.Parallel()
	yes, no := func() bool { return true }, func() bool { return false }
	for name, c := range map[string]struct {
		consent code.Consent
		want    code.Decision
	}{
		"the settings ask nobody":            {code.Consent{}, code.Allowed},
		"a shell without a terminal":         {code.Consent{Required: true, Explicit: true}, code.Allowed},
		"a question without anybody to ask":  {code.Consent{Required: true}, code.Unasked},
		"nobody was asked yet":               {code.Consent{Required: true, CanAsk: true, Declined: no}, code.Ask},
		"a person agrees":                    {code.Consent{Required: true, CanAsk: true, Answered: true, Agreed: true}, code.Allowed},
		"a person says no":                   {code.Consent{Required: true, CanAsk: true, Answered: true, Explicit: true}, code.Refused},
		"a person said no earlier":           {code.Consent{Required: true, CanAsk: true, Explicit: true, Declined: yes}, code.Refused},
		"a person who said no agrees by now": {code.Consent{Required: true, CanAsk: true, Answered: true, Agreed: true, Declined: yes}, code.Allowed},
	} {
		got := c.consent.Decide()
		must.Equal(t, got, c.want, "%s", name)
		if told := got.Reason() != ""; told != (got == code.Refused || got == code.Unasked) {
			t.Errorf("%s: the model is told %q", name, got.Reason())
		}
	}
}

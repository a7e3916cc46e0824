package prune

import (
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

func FuzzPins(f *testing.F) {
	for _, entry := range []string{
		`{"type":"custom","customType":"pictx.pins","data":{"pins":[{"target":"a","is_path":true,"reason":"r","time":7,"removed":true}]}}`,
		`{"data":{"pins":[{"target":"a","time":99999999999999999999},7,null]}}`, `{"data":7}`, `{`, ``,
	} {
		f.Add([]byte(entry))
	}
	f.Fuzz(func(t *testing.T, entry []byte) {
		var p message.Parser
		for _, pin := range parsePins(&p, entry) {
			must.Not(t, pin.Target == "" || pin.Time < 0, "%+v", pin)
		}
	})
}

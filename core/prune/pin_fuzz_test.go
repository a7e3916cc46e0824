package prune

import "testing"

func FuzzPins(f *testing.F) {
	for _, entry := range []string{
		`{"type":"custom","customType":"pictx.pins","data":{"pins":[{"target":"a","is_path":true,"reason":"r","time":7,"removed":true}]}}`,
		`{"data":{"pins":[{"target":"a","time":99999999999999999999},7,null]}}`, `{"data":7}`, `{`, ``,
	} {
		f.Add([]byte(entry))
	}
	f.Fuzz(func(t *testing.T, entry []byte) {
		for _, pin := range parsePins(entry) {
			if pin.Target == "" || pin.Time < 0 {
				t.Errorf("%+v", pin)
			}
		}
	})
}

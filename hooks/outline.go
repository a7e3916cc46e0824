package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// outlineBytes is how much of an outline a line of the log has room for.
const outlineBytes = 480

// outline is the form of a payload without its texts: of each the log has only the size.
func outline(payload jsontext.Value) string {
	var out bytes.Buffer
	in, enc := jsontext.NewDecoder(bytes.NewReader(payload)), jsontext.NewEncoder(&out)
	for out.Len() < outlineBytes {
		t, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "not JSON"
		}
		depth := in.StackDepth()
		if kind, n := in.StackIndex(depth); t.Kind() == '"' && (kind != '{' || n%2 == 0) { // not a name
			t = jsontext.String(fmt.Sprintf("%d bytes", len(t.String())))
		}
		if err := enc.WriteToken(t); err != nil {
			break
		}
	}
	text := bytes.TrimSpace(out.Bytes())
	return string(text[:min(len(text), outlineBytes)])
}

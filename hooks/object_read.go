package hooks

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/core/tool"
)

// objectReadFile is what is declared of the tool that replaces the agent's read.
//
//go:embed object_read.json
var objectReadFile []byte

// readTool is the name of the agent's tool.
const readTool = "read"

// declareRead declares the tool that replaces the agent's.
func declareRead(h *Hello) {
	var t Tool
	if err := json.Unmarshal(objectReadFile, &t); err != nil {
		return // a test reads the file too
	}
	h.Tools = append(h.Tools, t)
	h.Timeouts.Tool[t.Name] = toolTime
}

// maxRead is how long a file may be that is read at all, in bytes.
const maxRead = 32 << 20

// read reads a file in the agent's place: it becomes an object, which is then active.
// One that the model can see as it is is not shown again.
func (t *objectCall) read(ctx context.Context) error {
	var p struct {
		Path   string  `json:"path"`
		Offset float64 `json:"offset"`
		Limit  float64 `json:"limit"`
	}
	if err := decode(t.call.Params, &p); err != nil || p.Path == "" {
		return refusal{"read wants a path"}
	}
	file := tool.AccessOf(readTool, pathArgument(p.Path), t.CWD).Path
	files := t.Files(t.Call)
	look := files.Look(file)
	data, err := files.Read(look.Path, maxRead)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refusal{"there is no file " + oneLine(p.Path)}
	case err != nil:
		return refusal{fmt.Sprintf("%s cannot be read: it is a directory, or no file, or closed to you", oneLine(p.Path))}
	}
	if kind := imageKind(data); kind != "" {
		return t.image(data, kind)
	}
	if bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return refusal{oneLine(p.Path) + " is no text"}
	}
	text, whole, err := capture.Page(strings.ToValidUTF8(string(data), "\ufffd"), int(p.Offset), int(p.Limit))
	if err != nil {
		return refusal{err.Error()}
	}
	if whole && len(data) > 0 {
		if o := t.same(look.Path, text); o != "" {
			t.Result().Text = o + " " + oneLine(p.Path) + " is already active: it is unchanged, and its content is above."
			return nil
		}
	}
	t.Result().Text = text
	return nil
}

// same is the id of the object of a file whose content stands in the context as it is
// now, "" when it does not.
func (t *objectCall) same(file, text string) string {
	o := object.Object{ID: object.NewID(object.FileKey("", file), 0), Key: object.FileKey("", file)}
	if !t.current(o, []byte(text), nil) {
		return ""
	}
	return o.ID
}

// image answers with an image.
func (t *objectCall) image(data []byte, kind string) error {
	block := fmt.Appendf(nil, `[{"type":"text","text":"Read image file [%s]"},{"type":"image","mimeType":%q,"data":`, kind, kind)
	block = message.AppendQuote(block, base64.StdEncoding.EncodeToString(data))
	t.Result().Content = append(block, "}]"...)
	return nil
}

// imageKind is the type of an image that models can see, "" for anything else.
func imageKind(data []byte) string {
	for _, k := range [...]struct{ start, kind string }{
		{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"},
	} {
		if bytes.HasPrefix(data, []byte(k.start)) {
			return k.kind
		}
	}
	if len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}

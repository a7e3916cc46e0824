package control

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
)

// maxReadBytes is the maximum size of a file that is read.
const maxReadBytes = 32 << 20

// Read reads lines of a file, with offset and limit as in the agent's own tool. The file
// becomes an object and active. Content that the model can already see is not shown again.
func (c *Control) Read(path string, offset, limit int) (Answer, error) {
	if path == "" {
		return Answer{}, refuse("read wants a path")
	}
	file := tool.AccessOf("read", pathArgument(path), c.CWD).Path
	look := c.Files.Look(file)
	data, err := c.Files.Read(look.Path, maxReadBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Answer{}, refuse("there is no file " + text.LogLine(path))
	case err != nil:
		return Answer{}, refuse(fmt.Sprintf("%s cannot be read: it is a directory, or no file, or closed to you", text.LogLine(path)))
	}
	if kind := imageKind(data); kind != "" {
		return Answer{Image: data, ImageType: kind}, nil
	}
	if bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return Answer{}, refuse(text.LogLine(path) + " is not text")
	}
	body, whole, err := capture.Page(strings.ToValidUTF8(string(data), "\ufffd"), offset, limit)
	if err != nil {
		return Answer{}, refuse(err.Error())
	}
	if whole && len(data) > 0 {
		if o := c.sameActive(look.Path, body); o != "" {
			return Answer{Text: o + " " + text.LogLine(path) + " is already active: it is unchanged, and its content is above."}, nil
		}
	}
	return Answer{Text: body}, nil
}

// sameActive returns the id of a file's object if its present content is in the context,
// else "".
func (c *Control) sameActive(file, text string) string {
	o := object.Object{ID: object.NewID(object.FileKey("", file), 0), Key: object.FileKey("", file)}
	if !c.current(o, []byte(text), nil) {
		return ""
	}
	return o.ID
}

// imageKind returns the MIME type of an image that models can see, "" for anything else.
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

package tool

import (
	"bytes"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// ExpandIDs calls visit with every id that a call asks pictx, or its tool, to expand.
func ExpandIDs(c *message.Call, visit func(id string)) {
	if !Expands(c) {
		return
	}
	isHex := func(r byte) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'f' }
	args := c.Arguments
	for i := 0; i < len(args); i++ {
		start := i
		for i < len(args) && isHex(args[i]) {
			i++
		}
		if i-start >= 8 {
			visit(string(args[start:i]))
		}
	}
}

// Expands reports whether a call brings pruned text back, with a tool or with pictx itself.
func Expands(c *message.Call) bool {
	if strings.HasSuffix(c.Name, "_expand") {
		return true
	}
	return bytes.Contains(c.Arguments, []byte("pictx expand")) && ClassOf(c.Name) == Shell
}

package policy

import "github.com/coctostan/pictx/core/message"

// KeepMarked keeps results that are markers already, so that planning over a plan's own
// output changes nothing.
func KeepMarked(_ *Input, r Result) (Reason, bool) {
	return Reason{CodeMarked, "already pruned"}, r.Message.Marked
}

// KeepErrors keeps the results of failed calls, whose diagnostics may matter.
func KeepErrors(_ *Input, r Result) (Reason, bool) {
	return Reason{CodeError, "the tool failed, and its message may matter"}, r.Message.Head.IsError
}

// KeepUnknownContent keeps results whose content is neither a string nor an array of text
// and images. Content of an unknown version of pi is not ours to drop, and dropping missing
// content saves nothing.
func KeepUnknownContent(_ *Input, r Result) (Reason, bool) {
	why := Reason{CodeContent, "its content is not text and images"}
	c := &r.Message.Head.Content
	switch c.Kind {
	case message.ContentText:
		return why, false
	case message.ContentBlocks:
		for _, b := range c.Blocks {
			if b.Kind != message.BlockText && b.Kind != message.BlockImage {
				return why, true
			}
		}
		return why, false
	}
	return why, true
}

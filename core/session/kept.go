package session

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// PlainKept returns the position of the first message after the summary of a compaction
// that plain pi would have kept, 0 in a context that does not begin with a compaction.
//
// pi keeps the newest messages up to a size that it measures in its own context. If that
// was pruned before the compaction, pi keeps more messages than plain pi would, which must
// not be billed for the difference. Messages that an agent prunes in each request, not in
// its session, had their full size when pi measured.
func PlainKept(path []*message.Node, items []message.Item) int {
	if len(items) == 0 || items[0].Node.Type != message.EntryCompaction {
		return 0
	}
	before := make(map[*message.Node]bool)
	for _, n := range path {
		if n == items[0].Node {
			break
		}
		before[n] = true
	}
	var room token.Count
	end := 1
	for ; end < len(items) && before[items[end].Node]; end++ {
		it := &items[end]
		if it.Edit != nil && before[it.Edit] {
			room += token.Estimate(it.Head)
		} else {
			room += token.Estimate(&it.Node.Message)
		}
	}
	cut := end
	for sum := token.Count(0); cut > 1 && sum < room; sum += token.Estimate(&items[cut].Node.Message) {
		cut--
	}
	for cut > 1 && cut < end-1 && items[cut].Head.Role == message.RoleToolResult { // a result stays with its call
		cut++
	}
	return cut
}

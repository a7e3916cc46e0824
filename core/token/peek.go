package token

// Peek tells what a call would be billed, and remembers nothing of it.
func (c *Cache) Peek(p Prompt) Bill {
	would := *c
	would.points = append(make([]breakpoint, 0, len(c.points)+1), c.points...)
	return would.Call(p)
}

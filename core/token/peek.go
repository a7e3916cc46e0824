package token

// Peek returns what a call would be billed, without remembering it.
func (c *Cache) Peek(p Prompt) Bill {
	would := *c
	would.points = append(make([]breakpoint, 0, len(c.points)+1), c.points...)
	return would.Call(p)
}

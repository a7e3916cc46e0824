package token

// Peek returns what a call would be billed, without remembering it.
func (c *Cache) Peek(p Prompt) Bill {
	return c.Clone().Call(p)
}

// Clone returns a copy of the cache that goes its own way.
func (c *Cache) Clone() *Cache {
	d := *c
	d.points = append(make([]breakpoint, 0, len(c.points)+1), c.points...)
	return &d
}

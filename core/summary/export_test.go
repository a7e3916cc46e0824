package summary

// Extracts returns the number of current extracts that no model's summary covers.
func (c *Cover) Extracts() int { return len(extracts(c.Roots)) }

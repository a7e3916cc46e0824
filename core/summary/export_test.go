package summary

// Extracts counts the extracts that a reader sees.
func (c *Cover) Extracts() int { return countExtracts(c.Roots) }

func countExtracts(nodes []*PlacedNode) int {
	n := 0
	for _, p := range nodes {
		if p.Kind == Extract {
			n += 1 + countExtracts(p.Children)
		}
	}
	return n
}

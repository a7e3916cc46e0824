// Package marks keeps which tool results of a session are pruned, and which are pinned. A
// hook that stays open remembers both while nothing else writes. It must not know whether
// the session or its entries are stored.
package marks

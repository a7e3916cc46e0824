package hooks

// The events of the protocol, in the order of its page. A test compares everything that lists
// them: see docs/recipes/hook-event.md.
const (
	EventSessionStart    = "session_start"
	EventBeforeAgent     = "before_agent_start"
	EventContext         = "context"
	EventToolResult      = "tool_result"
	EventToolCall        = "tool_call"
	EventTurnEnd         = "turn_end"
	EventAgentEnd        = "agent_end"
	EventCacheWarming    = "cache_warming_decision"
	EventBeforeCompact   = "session_before_compact"
	EventCompact         = "session_compact"
	EventTree            = "session_tree"
	EventSessionShutdown = "session_shutdown"

	// The calls of tools and commands that hello declares, which are no events of pi.
	EventTool     = "tool"
	EventCommand  = "command"
	EventComplete = "complete"
)

// PiEvents are the events of pi, to which hello can subscribe.
func PiEvents() []string {
	return []string{
		EventSessionStart, EventBeforeAgent, EventContext, EventToolResult, EventToolCall, EventTurnEnd, EventAgentEnd,
		EventCacheWarming, EventBeforeCompact, EventCompact, EventTree, EventSessionShutdown,
	}
}

// backgroundEvents are the events whose reply the agent does not wait for.
func backgroundEvents() []string { return []string{EventSessionStart, EventAgentEnd} }

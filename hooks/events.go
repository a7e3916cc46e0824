// Code generated from hooks/events/table.go by make generate. DO NOT EDIT.

package hooks

// The events of the protocol, in the order of its page.
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
	EventTool            = "tool"
	EventCommand         = "command"
	EventComplete        = "complete"
)

// piEvents are the events of pi, to which hello can subscribe.
func piEvents() []string {
	return []string{
		EventSessionStart,
		EventBeforeAgent,
		EventContext,
		EventToolResult,
		EventToolCall,
		EventTurnEnd,
		EventAgentEnd,
		EventCacheWarming,
		EventBeforeCompact,
		EventCompact,
		EventTree,
		EventSessionShutdown,
	}
}

// backgroundEvents are the events whose reply the agent does not wait for.
func backgroundEvents() []string {
	return []string{
		EventSessionStart,
		EventAgentEnd,
	}
}

// FilterEvents are the events of pi that pictx filter accepts, those with messages
// first.
func FilterEvents() []string {
	return []string{
		EventContext,
		EventToolResult,
		EventBeforeAgent,
		EventToolCall,
		EventTurnEnd,
		EventAgentEnd,
		EventCacheWarming,
		EventSessionStart,
		EventBeforeCompact,
		EventCompact,
		EventTree,
		EventSessionShutdown,
	}
}

//go:build unix

package e2e

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// bedrockPieces reads a message of Bedrock's Converse. Where a cache may begin is no part of what was said.
func bedrockPieces(role string, blocks []json.RawMessage) (all []piece) {
	results := false
	for i, raw := range blocks {
		var block struct {
			CachePoint, ToolResult, ToolUse, Text json.RawMessage
			ReasoningContent                      struct {
				ReasoningText struct{ Signature string }
			}
		}
		json.Unmarshal(raw, &block)
		if block.CachePoint != nil {
			continue
		}
		results = results || block.ToolResult != nil
		all = append(all, piece{block: i, role: role, raw: raw, signature: block.ReasoningContent.ReasoningText.Signature, prompt: role == "user" && !results, response: role == "assistant" && i == 0})
	}
	return all
}

// streamBedrock answers as Bedrock's ConverseStream does, in AWS's event stream.
func streamBedrock(w io.Writer, req request, a turn) {
	event := func(kind string, data object) {
		w.Write(frameOf(kind, asJSON(data)))
		flush(w)
	}
	index := 0
	block := func(start object, deltas ...object) {
		if start != nil {
			event("contentBlockStart", object{"contentBlockIndex": index, "start": start})
		}
		for _, d := range deltas {
			event("contentBlockDelta", object{"contentBlockIndex": index, "delta": d})
		}
		event("contentBlockStop", object{"contentBlockIndex": index})
		index++
	}
	event("messageStart", object{"role": "assistant"})
	if a.Thinking != "" {
		block(nil, object{"reasoningContent": object{"text": a.Thinking}}, object{"reasoningContent": object{"signature": a.signature("")}})
	}
	if a.Text != "" {
		block(nil, object{"text": a.Text})
	}
	for i, c := range a.Tools {
		block(object{"toolUse": object{"toolUseId": fmt.Sprintf("tooluse_%d_%d", req.Seq, i), "name": c.Name}}, object{"toolUse": object{"input": a.arguments(i)}})
	}
	stop := "end_turn"
	if len(a.Tools) > 0 {
		stop = "tool_use"
	}
	event("messageStop", object{"stopReason": stop})
	prompt, output := a.tokens(req)
	cached := a.cached(req)
	event("metadata", object{"usage": object{"inputTokens": 0, "outputTokens": output, "totalTokens": prompt + output, "cacheReadInputTokens": cached, "cacheWriteInputTokens": prompt - cached}, "metrics": object{"latencyMs": 1}})
}

// frameOf is one message of an event stream: lengths, headers and payload, each with its checksum.
func frameOf(kind string, payload []byte) []byte {
	var headers []byte
	for _, h := range [][2]string{{":message-type", "event"}, {":event-type", kind}, {":content-type", "application/json"}} {
		headers = append(headers, byte(len(h[0])))
		headers = append(headers, h[0]...)
		headers = append(headers, 7) // a string
		headers = binary.BigEndian.AppendUint16(headers, uint16(len(h[1])))
		headers = append(headers, h[1]...)
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(headers)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = slices.Concat(out, headers, payload)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

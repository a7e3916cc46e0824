package project

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// keepRecent is what pi keeps of the latest messages when its settings do not say,
// in tokens.
const keepRecent = 20_000

// KeepRecent is how many tokens of the latest messages pi keeps at a compaction, as
// its settings say.
func KeepRecent(agentDir string) int {
	var s struct {
		Compaction struct {
			KeepRecent int `json:"keepRecentTokens"`
		} `json:"compaction"`
	}
	b, err := os.ReadFile(filepath.Join(agentDir, "settings.json"))
	if err != nil || json.Unmarshal(bytes.TrimPrefix(b, []byte("\ufeff")), &s) != nil || s.Compaction.KeepRecent <= 0 {
		return keepRecent
	}
	return s.Compaction.KeepRecent
}

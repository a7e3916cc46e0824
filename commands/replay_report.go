package commands

import (
	"bytes"
	"fmt"
)

// writeReport writes the report for a browser to a file.
func (a *app) writeReport(name string, res *replayResult) error {
	var b bytes.Buffer
	if err := writeReplayHTML(&b, res); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return writeFile(a.path(name), b.Bytes(), 0o600)
}

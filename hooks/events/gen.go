//go:build ignore

// Command gen writes the lists of the events of the hook protocol. Run it from the
// module's directory.
package main

import (
	"fmt"
	"os"

	"github.com/coctostan/pictx/hooks/events"
)

func main() {
	files, err := events.Files(events.Table(), func(path string) (string, error) {
		text, err := os.ReadFile(path)
		return string(text), err
	})
	for path, text := range files {
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

//go:build ignore

// Command gen writes man and completions. Run it from the module's directory.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/coctostan/pictx/man"
)

func main() {
	// Pages of commands that are gone would stay behind.
	old, err := filepath.Glob("man/*.[17]")
	for _, page := range old {
		err = os.Remove(page)
	}
	if err == nil {
		err = man.Write("man", "completions")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

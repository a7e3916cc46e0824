//go:build ignore

// Command list prints the statements of the acceptance lists with the tests that
// hold them. It ends with 1 when one is not held. Run it from the module's
// directory, with the names of pages for some of them.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/coctostan/pictx/internal/acceptance"
)

func main() {
	pages, problems, err := acceptance.Read(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, "acceptance:", err)
		os.Exit(1)
	}
	missing := 0
	for _, p := range pages {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], p.Name) {
			continue
		}
		missing += list(p)
	}
	for _, problem := range problems {
		fmt.Println(problem)
	}
	if missing > 0 || len(problems) > 0 {
		os.Exit(1)
	}
}

// list prints a page and counts what nothing holds.
func list(p acceptance.Page) (missing int) {
	overruled, pending := 0, 0
	for _, s := range p.Statements {
		fmt.Println(strings.TrimSuffix(fmt.Sprintf("%s %d: %s", p.Name, s.Number, s.Title), ": "))
		for _, test := range s.Tests {
			fmt.Println("    " + test)
		}
		switch {
		case s.Missing():
			missing++
			fmt.Println("    missing")
		case s.Overruled != "":
			overruled++
			fmt.Println("    overruled: " + s.Overruled)
		case s.Pending != "":
			pending++
			fmt.Println("    not yet: " + s.Pending)
		}
	}
	if !p.Listed {
		fmt.Printf("%s: %d statements held, there is no list yet\n", p.Name, len(p.Statements))
		return 0
	}
	fmt.Printf("%s: %d statements, %d held, %d overruled, %d not yet, %d missing\n", p.Name, len(p.Statements),
		len(p.Statements)-overruled-pending-missing, overruled, pending, missing)
	return missing
}

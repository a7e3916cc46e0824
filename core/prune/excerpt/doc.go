// Package excerpt shortens long outputs of tools to what an agent acts on: errors with their
// place, failing tests, the hunks of a diff, the first hits of each directory, the beginning
// and the end. What is left out is named by its lines, so that it can be asked for.
//
// It works on what outputs look like, not on which program wrote them. Which outputs are
// shortened, and where the whole stays, is decided elsewhere.
package excerpt

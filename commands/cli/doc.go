// Package cli holds what all commands share: the streams and the terminal, output as text
// or as JSON with its version, jq and templates, tables, colour, a pager, progress,
// confirmations, completions and flags. Run is one run of the program. Commands receive it as a parameter; none embeds it.
//
// The package must not know any noun: what a command does is in the package of its noun,
// and its access to the machine is package workspace. Start with Run and Out.
package cli

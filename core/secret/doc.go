// Package secret finds keys in text: those of known formats, which name themselves, and
// those that match the user's own patterns. Start with New and Finder.Find. The known formats are
// generated: a format that gitleaks lacks is added to own in scripts/known_rules.go, whose comment
// says how it is run.
//
// It must not know where a text comes from or what happens to the keys that it finds.
package secret

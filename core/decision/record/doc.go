// Package record converts decisions to and from files for people: decision records in
// Nygard's form or MADR's, and the lists of pages such as AGENTS.md. Start with Files and
// Read.
//
// It must not know where files are stored: it takes texts and returns texts.
package record

// Package record writes decisions as files for people, and reads such files: decision
// records in Nygard's form or MADR's, one Markdown page of all, a table, and the lists
// of pages such as AGENTS.md.
//
// It must not know where files lie: it is handed texts and returns texts.
package record

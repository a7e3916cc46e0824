// Package record converts decisions to and from files for people: decision records in
// Nygard's form or MADR's. Start with Files and Parse.
//
// It must not know where files are stored: it takes texts and returns texts.
package record

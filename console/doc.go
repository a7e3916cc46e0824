// Package console formats the output of commands: JSON with a schema version, JSON filtered
// by jq or formatted by a template, tables in columns, and help for narrow terminals.
//
// It must not know what is printed, nor by which command.
package console

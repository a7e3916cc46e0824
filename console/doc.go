// Package console is how what a command prints reaches its reader: JSON with the
// version of its form, filtered by jq or put into a template, and tables in columns.
//
// It must not know what is printed, nor which command prints it.
package console

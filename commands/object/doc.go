// Package object holds the commands that list, show, change and maintain versioned objects.
// Start with verbs.go, the table of its commands.
//
// It translates flags into use cases of core, and their results into text or JSON. It must
// not know another noun of the command line, SQL, or the agent's file formats. Its access
// to the machine is package workspace.
package object

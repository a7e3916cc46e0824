// Package object holds the commands that list, show, change and look after versioned objects.
//
// It translates flags into use cases of core and their results into text or JSON. It
// must not know another noun of the command line, SQL, or the agent's file formats;
// what it needs of the machine it asks package workspace for.
package object

// Package history holds the commands that keep, search, bring back and look after the history of sessions, and the blobs that outputs are kept in.
//
// It translates flags into use cases of core and their results into text or JSON. It
// must not know another noun of the command line, SQL, or the agent's file formats;
// what it needs of the machine it asks package workspace for.
package history

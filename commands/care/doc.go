// Package care holds the commands that set pictx up, configure it, check it and answer an agent's hooks.
//
// It translates flags into use cases of core and their results into text or JSON. It
// must not know another noun of the command line, SQL, or the agent's file formats;
// what it needs of the machine it asks package workspace for.
package care

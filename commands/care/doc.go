// Package care holds the commands that install pictx, configure it, check it and answer an
// agent's hooks.
//
// It translates flags into use cases of core, and their results into text or JSON. It must
// not know another noun of the command line, SQL, or the agent's file formats. Its access
// to the machine is package workspace.
package care

// Package decision implements the commands that record what a project has decided.
//
// It translates flags into use cases of core and their results into text or JSON. It must
// not know another noun of the command line, SQL, or the agent's file formats; package
// workspace provides access to the machine.
package decision

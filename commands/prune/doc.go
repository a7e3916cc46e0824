// Package prune holds the commands that plan and apply pruning, pin outputs, and price
// recorded sessions under every policy.
//
// It translates flags into use cases of core, and their results into text or JSON. It must
// not know another noun of the command line, SQL, or the agent's file formats. Its access
// to the machine is package workspace.
package prune

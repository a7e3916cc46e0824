// Package history holds the commands that store, search, expand and maintain the history of
// sessions, and the blobs that hold long outputs.
//
// It translates flags into use cases of core, and their results into text or JSON. It must
// not know another noun of the command line, SQL, or the agent's file formats. Its access
// to the machine is package workspace.
package history

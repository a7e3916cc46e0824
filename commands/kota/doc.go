// Package kota implements the commands that ask about source code.
//
// It translates flags into use cases of core and their results into text or JSON. It must not
// know other nouns of the command line, SQL, or the agent's file formats; what it needs of the
// machine it gets from package workspace.
//
// Start reading at Command. questions.go lists the questions.
package kota

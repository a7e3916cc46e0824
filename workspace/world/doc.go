// Package world presents a workspace to the hooks. World implements hooks.World. It keeps
// settings, stores, sessions, decision logs and the code index open between requests, and
// checks each for changes before it is used.
//
// Each file implements the ports of one system: project (stores and sessions), code,
// decisions, objects (watch), trust. The package must not know the command line, nor which
// agent asks, and it decides nothing: that is for hooks and core. Start with World.Project.
package world

// Package world is the machine as the hooks see it: World implements hooks.World over a
// workspace and keeps settings, stores, sessions, decision logs and the index of the code
// open from one request to the next, looking at each again before it is used.
//
// A file here is one port of hooks: project (storage, sessions), code, decisions,
// objects, trust. It must not know the command line or which agent asks, and it decides
// nothing: what a hook answers is decided in hooks and core.
package world

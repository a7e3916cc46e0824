// Package mcp answers questions about source code through KotaDB, a separate program that speaks
// the Model Context Protocol. It starts the server for the first question, restarts it when it
// dies, stops it with its children however this process ends, and translates its answers to those
// of package kota.
//
// What KotaDB cannot know is Unknown in an answer, never 0. The package must not know who asks,
// nor how the built-in engine works. From kota/index it takes how files are listed and which are
// tests, so that both engines agree on these.
//
// Start reading at Open in engine.go; client.go talks to the server.
package mcp

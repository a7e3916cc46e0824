// Package model tells what a model costs, how long its provider caches a prompt, and whether
// its thinking is bound to what stands before it. The table is that of pi, written by
// scripts/models from the npm package of pi-ai, and dated: see Date.
//
// It must not know sessions, requests or policies.
package model

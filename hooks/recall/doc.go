// Package recall stores the sessions of a project and brings back what the agent no longer
// has in its context. History stores every entry and answers the tools that search and
// expand them. Summaries takes over the agent's compactions and describes what the
// summaries cover.
//
// Both translate between events and the use cases of core/history and core/summary. The
// package must not know how texts are searched or summarised, nor where they are stored.
package recall

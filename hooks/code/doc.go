// Package code answers a model's questions about the code of its project, briefs it on files that a
// prompt names, and lets a person do the same with /kota.
//
// It translates between events and the use cases of core/code. It must not know how code is indexed, nor
// what else is pruned or stored.
package code

// Package kota answers questions about source code: which files depend on this one, where a
// symbol is used, what a change breaks, what to know about these files, which files matter most.
//
// It declares the questions and answers, the Engine that answers them, and how an answer becomes
// text or JSON of a limited size in bytes. Totals always count everything. What is left out is
// counted, and the answer names the command that shows it.
//
// It must not know how an engine works, nor who asks. Start reading with Engine in engine.go and
// Fit in fit.go.
package kota

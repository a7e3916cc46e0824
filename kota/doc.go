// Package kota answers the questions of whoever changes code: which files depend
// on this one, where is this symbol used, what breaks, what should be known about
// these files, which files matter most.
//
// It declares the questions and the answers, the Engine that gives them, and how
// an answer becomes text or JSON that keeps to a number of bytes: totals are
// always those of everything, what is left out is counted, and the command that
// shows it is named.
//
// It must not know how an engine knows what it knows, nor who asks.
package kota

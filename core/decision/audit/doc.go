// Package audit lists what is wrong with a log of decisions and what a person should settle
// in it, each with the command that does. Start with Doctor for the log, and with Checks for
// what the decisions say.
//
// It must not know where a log is stored, how findings are printed, or what time it is.
package audit

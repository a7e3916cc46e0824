// Package audit lists what is wrong with a log of decisions and what a person has to settle
// in it, each with the command for it. Start with Doctor for damage to the log, and with
// Checks for what its decisions say.
//
// It must not know where a log is stored, how findings are printed, or what time it is.
package audit

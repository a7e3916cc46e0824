// Package pi puts the extension that speaks with pictx into pi: it holds the
// extension's files, installs them, says whether they are still as they were
// shipped, and removes them. It also reads where pi keeps what is installed, to
// find extensions that do the same work.
//
// Nothing a person wrote is lost here: a text that was never shipped is only
// replaced when asked for, and then kept beside. A folder is exchanged as a whole,
// so that pi, which stops when an extension does not load, sees the old files or
// the new ones and never a mixture.
//
// The package must not know what the extension says to pictx, nor any feature.
package pi

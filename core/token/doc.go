// Package token measures text in tokens the way pi does: one number that every
// part of the program means when it says "tokens", so that a threshold in the
// configuration, a figure in a report and pi's own footer agree.
//
// It must not know policies, files or providers' tokenizers: it estimates, and
// it estimates what pi estimates, right or wrong.
package token

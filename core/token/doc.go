// Package token measures text in tokens the way pi does. All parts of the program use this
// number, so that thresholds in the configuration, figures in reports and pi's own footer
// agree. It also models providers' prompt caches: see Cache.
//
// It must not know policies, files or providers' tokenizers: it reproduces pi's estimates,
// right or wrong.
package token

// Package token measures text in tokens the way pi does. All parts of the program use this
// number, so that thresholds in the configuration, figures in reports and pi's own footer
// agree. It also models providers' prompt caches: see Cache. And it tells what a model costs,
// how long its provider caches a prompt, and whether its thinking is bound to what stands
// before it: see FindModel. The table of models is that of pi, written by scripts/models from
// the npm package of pi-ai, and dated.
//
// It must not know sessions, requests, policies, files or providers' tokenizers: it
// reproduces pi's estimates, right or wrong.
package token

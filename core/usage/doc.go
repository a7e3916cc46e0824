// Package usage adds up what the responses of models cost: by day, model, project,
// agent and session.
//
// A response costs what its session says. Where the session says nothing, the price is
// that of the model in a dated table, and the parts of a prompt that a cache holds are
// priced as Anthropic does for five minutes. Responses of models without a price count
// with their tokens alone.
//
// The package must not know where sessions are kept or how a figure is shown.
package usage

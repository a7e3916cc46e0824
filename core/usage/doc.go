// Package usage adds up what the responses of models cost: by day, model, project, agent
// and session.
//
// A response costs what its session records. Without a record, the price is that of the
// model in a dated table, and cached parts of the prompt are priced as by Anthropic with
// five minutes of retention. Responses of models without a price count with their tokens
// only.
//
// The package must not know where sessions are kept or how a figure is shown.
package usage

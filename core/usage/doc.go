// Package usage says what sessions used: what the responses of models cost, by day, model,
// project, agent and session, and request by request what the context consisted of, how much
// of it the provider's cache held and why not more, and what was pruned or compacted. Start
// with Table and Read.
//
// A response costs what its session records. Without a record, the price is that of the
// model in a dated table, and cached parts of the prompt are priced as by Anthropic with
// five minutes of retention. Responses of models without a price count with their tokens
// only. A provider counts only whole requests. The parts are the agent's own estimates,
// scaled to that sum; what no message accounts for is the system prompt and the definitions
// of tools. Requests that failed or were stopped are left out, because their bill is not
// known.
//
// The package must not know where sessions are kept or how a figure is shown.
package usage

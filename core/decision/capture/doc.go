// Package capture finds the decisions that a user marked in the prompts of a run of an
// agent, and adds those that the log does not have.
//
// It must not know who is asked whether they are decisions.
package capture

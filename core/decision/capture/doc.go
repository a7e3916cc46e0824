// Package capture finds the decisions that a user marked in the prompts of an agent's run,
// and adds those that the log lacks.
//
// It must not know who confirms that they are decisions.
package capture

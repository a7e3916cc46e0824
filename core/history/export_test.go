package history

// Holds tells whether a text matches an expression, for a fake index.
func Holds(x Expr, text string) bool { return x.held(text) != 0 }

// NeedOfRegex is what the index of triples is asked for a regular expression.
func NeedOfRegex(pattern string) Need { return needOfRegex(pattern) }

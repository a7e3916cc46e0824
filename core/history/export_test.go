package history

// Holds tells whether a text matches an expression, for a fake index.
func Holds(x Expr, text string) bool { return x.held(text) != 0 }

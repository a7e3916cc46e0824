package words

// set is a set of words.
type set map[string]bool

func newSet(words ...string) set {
	s := make(set, len(words))
	for _, w := range words {
		s[w] = true
	}
	return s
}

// empty are words without meaning for a search.
var empty = newSet(
	"a", "all", "already", "also", "am", "an", "and", "another", "any", "are", "as", "at", "be", "because", "been", "being", "both", "but", "by",
	"can", "could", "did", "do", "does", "doing", "done", "each", "either", "for", "from", "had", "has", "have", "how", "i", "if", "in",
	"into", "is", "it", "its", "itself", "just", "let", "me", "my", "neither", "no", "of", "off", "on", "or", "our", "please", "s", "she", "should",
	"so", "some", "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "up", "us",
	"was", "we", "were", "what", "when", "where", "whether", "which", "while", "who", "why", "will", "with", "would", "you", "your",
)

// vague are words that occur in questions about any code.
var vague = newSet(
	"about", "add", "adds", "after", "again", "allow", "answer", "back", "before", "between", "call", "called", "calls", "class", "code", "compute", "computed",
	"computes", "defined", "define", "decide", "decided", "decides", "file", "files", "find", "finds", "fix", "found", "function", "functions", "get", "gets", "give",
	"given", "gives", "go", "goes", "handle", "handled", "handles", "happen", "happens", "implement", "implementation", "implemented",
	"implements", "kept", "logic", "made", "make", "makes", "method", "module", "more", "much", "many", "must", "need", "new", "not", "old", "one",
	"only", "other", "over", "place", "put", "puts", "responsible", "same", "set", "sets", "several", "show", "shows", "support", "take", "takes", "tell",
	"two", "until", "use", "used", "uses", "using", "want", "way", "without", "work", "works",
)

// group is a list of synonyms in programs.
type group []string

// has reports whether a stem is that of a word in the group.
func (g group) has(text string) bool {
	for _, w := range g {
		if newStem(w, 0, 0).text == text {
			return true
		}
	}
	return false
}

// alike are the groups: words of questions and their counterparts in code.
var alike = []group{
	{"abort", "cancel"},
	{"add", "append", "insert", "push", "register"},
	{"argument", "param", "parameter"},
	{"authenticate", "auth", "login"},
	{"ask", "prompt"},
	{"authorization", "permission", "access"},
	{"calculate", "compute"},
	{"circular", "cycle", "cyclic"},
	{"check", "verify", "validate", "assert"},
	{"close", "shutdown", "destroy", "dispose"},
	{"combine", "merge", "compose", "concat", "join"},
	{"compare", "equal", "match"},
	{"config", "configuration", "option", "setting"},
	{"convert", "transform", "serialize", "stringify"},
	{"create", "build", "generate", "construct"},
	{"database", "db"},
	{"deserialize", "decode", "parse"},
	{"directory", "folder", "dir"},
	{"duplicate", "identical", "deduplicate", "dedupe"},
	{"encode", "serialize"},
	{"environment", "env"},
	{"error", "exception", "failure"},
	{"evict", "expire", "remove", "delete", "drop", "prune"},
	{"execute", "run", "perform"},
	{"identifier", "id"},
	{"init", "initialize", "setup", "start"},
	{"large", "max", "limit", "size", "big"},
	{"limit", "max", "throttle"},
	{"listen", "subscribe", "observe", "watch"},
	{"load", "read", "fetch"},
	{"message", "msg"},
	{"parallel", "concurrent", "concurrency"},
	{"password", "secret", "credential"},
	{"print", "format", "render", "output"},
	{"queue", "schedule", "enqueue"},
	{"reject", "deny", "refuse"},
	{"repository", "repo"},
	{"request", "req"},
	{"resolve", "lookup", "locate"},
	{"response", "res", "reply"},
	{"save", "store", "persist", "write"},
	{"send", "emit", "dispatch", "publish", "broadcast"},
	{"session", "connection"},
	{"speed", "rate"},
	{"split", "partition", "chunk"},
	{"synchronize", "sync"},
	{"temporary", "temp", "tmp"},
	{"update", "change", "modify", "patch"},
}

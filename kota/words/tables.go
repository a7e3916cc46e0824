package words

import "slices"

// set is a set of words. The compiler lays it out, so that a start of the program builds nothing;
// what is asked for every word of a file is a switch instead.
type set []string

func (s set) has(w string) bool { return slices.Contains(s, w) }

// empty are words without meaning for a search.
var empty = set{
	"a", "all", "already", "also", "am", "an", "and", "another", "any", "are", "as", "at", "be", "because", "been", "being", "both", "but", "by",
	"can", "could", "did", "do", "does", "doing", "done", "each", "either", "for", "from", "had", "has", "have", "how", "i", "if", "in",
	"into", "is", "it", "its", "itself", "just", "let", "me", "my", "neither", "no", "of", "off", "on", "or", "our", "please", "s", "she", "should",
	"so", "some", "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "up", "us",
	"was", "we", "were", "what", "when", "where", "whether", "which", "while", "who", "why", "will", "with", "would", "you", "your",
	"actually", "almost", "along", "although", "always", "anything", "away", "cannot", "certain", "during", "else", "enough", "ever", "every",
	"everything", "exactly", "few", "he", "her", "here", "him", "his", "however", "instead", "kind", "later", "less", "like", "little", "long",
	"longer", "may", "might", "most", "never", "now", "often", "once", "ones", "our", "out", "own", "perhaps", "quite", "rather", "really",
	"rest", "since", "someone", "something", "sometimes", "soon", "sooner", "still", "though", "through", "thus", "together", "under",
	"unless", "upon", "usually", "very", "well", "whatever", "whenever", "wherever", "whose", "within", "yet",
}

// vague are words that occur in questions about any code.
var vague = set{
	"about", "add", "adds", "after", "again", "allow", "answer", "back", "before", "between", "call", "called", "calls", "class", "code", "compute", "computed",
	"computes", "defined", "define", "decide", "decided", "decides", "file", "files", "find", "finds", "fix", "found", "function", "functions", "get", "gets", "give",
	"given", "gives", "go", "goes", "handle", "handled", "handles", "happen", "happens", "implement", "implementation", "implemented",
	"implements", "kept", "logic", "made", "make", "makes", "method", "module", "more", "much", "many", "must", "need", "new", "not", "old", "one",
	"only", "other", "over", "place", "put", "puts", "responsible", "same", "set", "sets", "several", "show", "shows", "support", "take", "takes", "tell",
	"two", "until", "use", "used", "uses", "using", "want", "way", "without", "work", "works",
	"according", "against", "alone", "appear", "appears", "around", "become", "becomes", "belong", "belongs", "case", "cause", "causes", "certainly",
	"come", "comes", "contain", "contains", "correct", "different", "even", "example", "exist", "exists", "good", "happened", "help", "helps",
	"keep", "keeps", "know", "known", "knows", "leave", "leaves", "lets", "look", "looks", "mean", "means", "none", "part", "people", "person",
	"possible", "right", "say", "says", "see", "seen", "somewhere", "stay", "stays", "thing", "things", "think", "three", "times", "try", "tries",
	"turn", "turned", "turns", "whole", "wrong",
}

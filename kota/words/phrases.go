package words

import "slices"

// phrase is a verb that means something else with its particle, and what programs call that: to
// throw away is to discard.
type phrase struct {
	verb, particle string
	words          group
}

// phrases are the phrasal verbs of questions. By themselves their words mean little or mislead:
// the verb is one of many uses, and the particle is empty.
var phrases = []phrase{
	{"add", "up", group{"sum", "total"}},
	{"back", "off", group{"backoff", "retry"}},
	{"back", "up", group{"backup"}},
	{"blank", "out", group{"mask", "redact", "clear"}},
	{"block", "out", group{"mask"}},
	{"break", "down", group{"split"}},
	{"break", "up", group{"split", "chunk"}},
	{"bring", "back", group{"restore"}},
	{"build", "up", group{"accumulate", "build"}},
	{"call", "off", group{"cancel", "abort"}},
	{"carry", "on", group{"continue", "resume"}},
	{"carry", "over", group{"inherit", "migrate", "copy"}},
	{"catch", "up", group{"sync", "lag"}},
	{"clean", "up", group{"cleanup", "dispose", "sweep"}},
	{"clear", "out", group{"purge", "clear"}},
	{"come", "back", group{"return", "restore", "reconnect"}},
	{"cut", "off", group{"truncate", "trim"}},
	{"cut", "out", group{"extract", "clip"}},
	{"drop", "out", group{"disconnect", "leave"}},
	{"fall", "back", group{"fallback", "default"}},
	{"fill", "in", group{"populate", "default", "interpolate"}},
	{"fill", "up", group{"full", "overflow"}},
	{"filter", "out", group{"filter", "exclude"}},
	{"find", "out", group{"detect", "resolve"}},
	{"fit", "in", group{"fit", "overflow"}},
	{"get", "rid", group{"remove", "discard", "dispose"}},
	{"give", "out", group{"allocate", "assign"}},
	{"give", "up", group{"abort", "timeout", "fail", "exhausted"}},
	{"go", "on", group{"continue", "resume"}},
	{"go", "through", group{"iterate", "traverse", "walk"}},
	{"hand", "out", group{"allocate", "acquire", "assign"}},
	{"hand", "over", group{"pass", "delegate", "transfer", "handoff"}},
	{"hang", "up", group{"close", "disconnect"}},
	{"hold", "back", group{"buffer", "queue", "delay", "throttle", "debounce", "pending"}},
	{"hold", "on", group{"retain", "lock"}},
	{"hold", "up", group{"block", "stall"}},
	{"keep", "alive", group{"keepalive", "heartbeat", "ping"}},
	{"keep", "apart", group{"isolate", "separate"}},
	{"keep", "back", group{"retain", "buffer"}},
	{"keep", "from", group{"prevent", "lock", "guard"}},
	{"keep", "out", group{"exclude", "filter"}},
	{"keep", "track", group{"track", "tracker", "record"}},
	{"keep", "up", group{"lag", "backpressure", "sync"}},
	{"kick", "out", group{"evict", "disconnect"}},
	{"lay", "out", group{"layout"}},
	{"leave", "out", group{"skip", "omit", "exclude", "ignore"}},
	{"let", "go", group{"release", "drop"}},
	{"let", "in", group{"allow", "accept"}},
	{"let", "through", group{"allow", "pass", "accept"}},
	{"line", "up", group{"align"}},
	{"log", "in", group{"login", "auth", "signin"}},
	{"log", "out", group{"logout", "signout"}},
	{"look", "for", group{"search", "find"}},
	{"look", "up", group{"lookup", "resolve", "find"}},
	{"make", "sure", group{"ensure", "assert", "validate"}},
	{"make", "up", group{"generate", "fake"}},
	{"measure", "out", group{"measure"}},
	{"move", "on", group{"advance", "next"}},
	{"pass", "on", group{"forward", "propagate", "delegate"}},
	{"pick", "out", group{"select", "filter", "extract"}},
	{"pick", "up", group{"discover", "load"}},
	{"play", "back", group{"replay", "playback"}},
	{"point", "to", group{"pointer", "reference", "target"}},
	{"pull", "in", group{"import", "include", "load"}},
	{"pull", "out", group{"extract"}},
	{"put", "back", group{"restore", "return", "release"}},
	{"put", "off", group{"defer", "delay", "postpone"}},
	{"put", "together", group{"merge", "combine", "assemble", "compose", "build"}},
	{"read", "ahead", group{"prefetch", "lookahead"}},
	{"roll", "back", group{"rollback", "revert"}},
	{"roll", "over", group{"rollover", "rotate", "overflow"}},
	{"rule", "out", group{"exclude", "eliminate"}},
	{"run", "out", group{"exhausted", "expire", "empty"}},
	{"run", "over", group{"overflow", "exceed"}},
	{"scale", "down", group{"shrink", "downscale", "resize"}},
	{"send", "out", group{"emit", "broadcast", "dispatch"}},
	{"set", "apart", group{"distinguish", "isolate"}},
	{"set", "off", group{"trigger", "fire"}},
	{"set", "up", group{"setup", "init", "configure"}},
	{"shut", "down", group{"shutdown", "close"}},
	{"sign", "in", group{"login", "auth", "signin"}},
	{"sign", "out", group{"logout", "signout"}},
	{"sign", "up", group{"register", "signup"}},
	{"slow", "down", group{"throttle", "delay", "limit"}},
	{"sort", "out", group{"resolve", "partition"}},
	{"speed", "up", group{"cache", "optimize", "rate"}},
	{"spell", "out", group{"expand"}},
	{"spread", "out", group{"distribute", "jitter", "stagger"}},
	{"start", "again", group{"restart", "reset"}},
	{"start", "over", group{"restart", "reset"}},
	{"start", "up", group{"startup", "init", "bootstrap"}},
	{"stay", "alive", group{"keepalive", "heartbeat"}},
	{"stay", "open", group{"keepalive", "idle"}},
	{"stick", "to", group{"sticky", "affinity", "pin"}},
	{"swap", "out", group{"replace"}},
	{"switch", "off", group{"disable"}},
	{"switch", "on", group{"enable"}},
	{"switch", "over", group{"failover", "switch"}},
	{"take", "apart", group{"parse", "split", "destructure"}},
	{"take", "away", group{"remove", "revoke", "subtract"}},
	{"take", "back", group{"undo", "revert", "revoke"}},
	{"take", "off", group{"remove", "strip"}},
	{"take", "out", group{"remove", "extract", "exclude"}},
	{"take", "over", group{"override", "inherit", "takeover"}},
	{"take", "turns", group{"roundrobin", "rotate", "balance"}},
	{"tear", "down", group{"teardown", "destroy", "dispose"}},
	{"tell", "apart", group{"distinguish", "compare", "unique"}},
	{"thin", "out", group{"decimate", "sample", "simplify"}},
	{"throw", "away", group{"discard", "drop", "remove", "evict"}},
	{"throw", "out", group{"discard", "evict", "remove"}},
	{"time", "out", group{"timeout"}},
	{"try", "again", group{"retry"}},
	{"try", "out", group{"trial", "dry"}},
	{"turn", "away", group{"reject", "deny"}},
	{"turn", "back", group{"revert", "restore"}},
	{"turn", "down", group{"reject", "decline"}},
	{"turn", "into", group{"convert", "transform", "parse"}},
	{"turn", "off", group{"disable"}},
	{"turn", "on", group{"enable"}},
	{"use", "up", group{"exhausted", "consume"}},
	{"wait", "for", group{"await", "pending"}},
	{"wake", "up", group{"resume", "notify", "signal"}},
	{"wear", "off", group{"expire"}},
	{"weed", "out", group{"filter", "prune"}},
	{"wind", "back", group{"rewind", "reset"}},
	{"wipe", "out", group{"purge", "clear", "erase"}},
	{"work", "out", group{"compute", "calculate", "resolve", "infer"}},
	{"wrap", "around", group{"overflow", "rollover", "modulo", "wrap"}},
	{"write", "back", group{"flush", "persist"}},
	{"write", "out", group{"emit", "output", "flush"}},
}

const (
	// phraseReach is how many words after a verb its particle may be: "keep two writers from".
	phraseReach = 3
	// phraseWeight is the weight of a phrase compared with that of a word.
	phraseWeight = 0.7
)

// addPhrases adds what programs call the phrasal verbs of a question, as a term each.
func (q *Query) addPhrases(question string) {
	list := Split(question)
	for i, w := range list {
		if base := regular(w); base != "" {
			w = base
		}
		verb, after := newStem(w, 0, 0).text, list[i+1:min(len(list), i+1+phraseReach)]
		for _, p := range phrases {
			if len(q.terms) < maxTerms && slices.Contains(after, p.particle) && newStem(p.verb, 0, 0).text == verb {
				q.addConcept(p.words)
			}
		}
	}
}

// addConcept adds a term that any of some words express.
func (q *Query) addConcept(words group) {
	q.terms = append(q.terms, term{weight: phraseWeight})
	for _, w := range words {
		q.stems = append(q.stems, newStem(w, len(q.terms)-1, 1))
	}
}

package token

import "strings"

// Binding is what a provider does with thinking whose beginning of the conversation has
// changed since it was made.
type Binding int

// The bindings.
const (
	// Refuses: the request fails, and every later one that carries such thinking.
	Refuses Binding = iota
	// Drops: the provider leaves that thinking out, and reports it.
	Drops
	// NotBound: thinking is not bound to what stands before it, or there is none.
	NotBound
)

// String names the binding in reports.
func (b Binding) String() string { return [...]string{"refuses", "drops", "free"}[b] }

// version is a version of a family of models.
type version struct{ major, minor int }

// bindsFrom returns the first version of a family whose thinking is bound. Anthropic binds that
// of Claude Fable 5.1 and of all models since, OpenAI that of GPT-6.2 and later.
func bindsFrom(family string) version {
	if family == "claude" {
		return version{5, 1}
	}
	return version{6, 2}
}

// Binding returns how thinking of the model is bound. A model of which too little is known is
// taken to be one whose provider refuses: to leave its context alone is never wrong.
func (m *Model) Binding() Binding {
	family, v, known := familyOf(m.ID)
	switch {
	case known && v.before(bindsFrom(family)):
		return NotBound
	case m.API == "" || known:
	case !m.Thinks, unsigned(m.API):
		return NotBound
	}
	switch m.API {
	case "openai-responses", "openai-codex-responses", "azure-openai-responses", "bedrock-converse-stream":
		return Drops
	case "anthropic-messages":
		if m.Effort {
			return Drops
		}
	}
	return Refuses
}

// unsigned reports whether thinking has no signature in a protocol, so that nothing is checked.
func unsigned(api string) bool {
	return api == "openai-completions" || api == "mistral-conversations"
}

func (v version) before(w version) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

// familyOf finds the family and version in the id of a model, as providers write them:
// claude-opus-5-5, anthropic/claude-opus-5.5-fast, us.anthropic.claude-3-7-sonnet-20250219-v1:0,
// gpt-6.2-sol, gpt-4o. A name without a version, such as claude-opus-latest, is not known.
func familyOf(id string) (family string, v version, ok bool) {
	for _, family = range []string{"claude", "gpt"} {
		at := strings.LastIndex(id, family+"-")
		if at < 0 {
			continue
		}
		parts := strings.FieldsFunc(id[at+len(family):], func(r rune) bool { return r == '-' || r == '.' || r == ':' })
		for i, part := range parts {
			major, rest := leadingNumber(part)
			if len(rest) == len(part) {
				continue // a name: opus, sonnet
			}
			if len(part)-len(rest) > 2 || family == "gpt" && i > 0 {
				break // a date, or the size of a model with open weights
			}
			v.major = major
			if rest == "" && i+1 < len(parts) {
				if minor, more := leadingNumber(parts[i+1]); more == "" && len(parts[i+1]) <= 2 {
					v.minor = minor
				}
			}
			return family, v, true
		}
		return "", version{}, false
	}
	return "", version{}, false
}

// leadingNumber returns the number that a text begins with, and what follows it.
func leadingNumber(s string) (n int, rest string) {
	for s != "" && s[0] >= '0' && s[0] <= '9' && n < 1_000_000 {
		n, s = 10*n+int(s[0]-'0'), s[1:]
	}
	return n, s
}

package summary

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/coctostan/pictx/core/token"
)

// Reply is a model's reply.
type Reply struct {
	Text  string
	Model string // provider/id
	// Stop is why the model stopped: "length" means that the reply was cut off.
	Stop string
}

// ErrAuth is returned for a reply that denies access to the model; asking again is useless.
var ErrAuth = errors.New("the model may not be used with this key")

// Clean returns the summary in a model's reply, or an error when the reply is not a summary
// and must not be stored.
func (t Task) Clean(r Reply) (string, error) {
	text := strings.TrimSpace(withoutFence(withoutThinking(strings.TrimSpace(r.Text))))
	n := token.OfChars(len(text)) // counted like the source
	switch {
	case text == "":
		return "", errors.New("the answer is empty")
	case r.Stop == "length":
		return "", errors.New("the answer was cut off")
	case matches(authPattern, head(text)) && n < errorTokens:
		return "", ErrAuth
	case matches(apologyPattern, head(text)):
		return "", errors.New("the answer is an apology")
	case matches(errorPattern, head(text)) && n < errorTokens:
		return "", errors.New("the answer is an error")
	case matches(rolePattern, text):
		return "", errors.New("the answer plays a role of the conversation")
	case n >= t.Input:
		return "", fmt.Errorf("the answer has %s tokens, as many as what it is about", n)
	case n > tooLong*t.target(false) && !t.Span:
		return "", fmt.Errorf("the answer has %s tokens, %s were wanted", n, t.target(false))
	}
	return text, nil
}

const (
	errorTokens = 150 // replies that only report an error are shorter
	tooLong     = 3   // multiple of the target
	headChars   = 240
)

const (
	authPattern    = `(?i)\b(401|403)\b|unauthori[sz]ed|invalid[ _-]?(x-)?api[ _-]?key|api[ _-]key (is )?(missing|not)|authentication[ _](error|failed)|no key for|permission denied for`
	apologyPattern = `(?i)^(i('m| am) (very |really )?sorry|i apologi[sz]e|sorry,|apologies|unfortunately,? i\b|i (can('|no)t|am unable|am not able|do not have|don't have|cannot)\b|as an ai\b|i need more)`
	errorPattern   = `(?i)^\W*(error|exception|failed|rate limit|too many requests|overloaded|quota|internal server|bad gateway|service unavailable|\{"?(type"?:\s*"error|error"))`
	rolePattern    = `(?im)^\s*(<(tool|function)[ _-]?(call|use|result)s?\b|\[tool:|\{"(name|tool|function)":|(human|user|assistant):\s*$)`
)

// matches reports whether a text matches a pattern.
func matches(pattern, s string) bool { return regexp.MustCompile(pattern).MatchString(s) }

// IsAuth reports whether an error from a model is about the API key.
func IsAuth(text string) bool { return matches(authPattern, text) }

// head returns the beginning of a text.
func head(s string) string { return s[:min(len(s), headChars)] }

// withoutThinking removes thinking that the model wrote into its reply.
func withoutThinking(s string) string {
	return regexp.MustCompile(`(?is)^\s*<think(ing)?>.*?</think(ing)?>`).ReplaceAllString(s, "")
}

// withoutFence removes a code fence around the whole text.
func withoutFence(s string) string {
	first, rest, ok := strings.Cut(s, "\n")
	body, closed := strings.CutSuffix(rest, "```")
	if !ok || !closed || !strings.HasPrefix(first, "```") || strings.Contains(body, "```") {
		return s
	}
	return body
}

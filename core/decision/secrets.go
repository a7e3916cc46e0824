package decision

import (
	"fmt"
	"regexp"
	"strings"
)

// SecretError is a text that looks like a key and would be shared.
type SecretError struct {
	What  string   // the refused operation
	Kinds []string // of keys
}

// Error implements error.
func (e *SecretError) Error() string {
	return fmt.Sprintf("%s: it looks like %s, and the log is shared", e.What, strings.Join(e.Kinds, ", "))
}

// CheckSecrets refuses a text that looks like a key with a SecretError. what names the
// operation.
func CheckSecrets(what, body string) error {
	if kinds := Secrets(body); len(kinds) > 0 {
		return &SecretError{what, kinds}
	}
	return nil
}

// Secrets returns the kinds of keys that a text seems to hold.
func Secrets(text string) []string {
	var out []string
	for _, k := range [][2]string{
		{"a private key", `-----BEGIN [A-Z ]*PRIVATE KEY-----`},
		{"an AWS key", `\b(AKIA|ASIA)[0-9A-Z]{16}\b`},
		{"a GitHub token", `\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})\b`},
		{"an API key", `\bsk-(ant-|proj-)?[A-Za-z0-9_-]{20,}\b`},
		{"a Slack token", `\bxox[abposr]-[A-Za-z0-9-]{10,}\b`},
		{"a Google key", `\bAIza[0-9A-Za-z_-]{35}\b`},
		{"a token", `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b`},
		{"a password", `(?i)\b(password|passwd|secret|api[_-]?key|access[_-]?token)\s*[=:]\s*['"]?[A-Za-z0-9+/_.~!@$%^&*-]{12,}`},
		{"a password in an address", `[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@]{6,}@`},
	} {
		if regexp.MustCompile(k[1]).MatchString(text) {
			out = append(out, k[0])
		}
	}
	return out
}

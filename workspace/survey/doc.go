// Package survey asks several stores what they hold of sessions: lists them as people
// recognise them, and adds up what they cost. It must not know cobra, and prints nothing.
package survey

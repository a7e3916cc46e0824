// Package browse holds the command that searches and reads sessions on a full screen. It
// finds in the stores what report/screen shows, and changes nothing. It must not know how
// a screen is drawn.
package browse

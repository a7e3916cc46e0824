// Package browse holds the command that searches and reads sessions on a full screen. It
// reads from the stores what report/screen shows, and changes nothing. It must not know how
// the screen is drawn.
package browse

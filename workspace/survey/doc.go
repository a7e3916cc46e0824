// Package survey reads from several stores which sessions they hold, under titles that
// users recognise, and what the sessions cost. It must not know cobra, and prints nothing.
// Start with Sessions and ReadUsage.
package survey

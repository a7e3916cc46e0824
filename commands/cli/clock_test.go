package cli

import "time"

// fixedNow is the clock of tests.
func fixedNow() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }

package text

import "time"

// TimeForm is the form of times that programs read: UTC, to the millisecond.
const TimeForm = "2006-01-02T15:04:05.000Z"

// MinuteForm is the form of times that people read.
const MinuteForm = "2006-01-02 15:04"

// ZonedForm is MinuteForm with its zone, a Z for UTC.
const ZonedForm = MinuteForm + "Z07:00"

// SecondForm is ZonedForm with seconds.
const SecondForm = "2006-01-02 15:04:05Z07:00"

// Time writes Unix milliseconds for a program, as TimeForm says.
func Time(ms int64) string { return time.UnixMilli(ms).UTC().Format(TimeForm) }

// KnownTime is Time, "" when ms is 0: unknown.
func KnownTime(ms int64) string {
	if ms == 0 {
		return ""
	}
	return Time(ms)
}

// LocalMinute writes Unix milliseconds for a person at a shell, in the local zone, as
// ZonedForm says; "-" when unknown.
func LocalMinute(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).Local().Format(ZonedForm)
}

// Minute writes Unix milliseconds in UTC, without saying so; "?" when unknown.
func Minute(ms int64) string {
	if ms == 0 {
		return "?"
	}
	return time.UnixMilli(ms).UTC().Format(MinuteForm)
}

// ZonedMinute writes Unix milliseconds in UTC, as ZonedForm says; "at an unknown
// time" when unknown.
func ZonedMinute(ms int64) string {
	if ms == 0 {
		return "at an unknown time"
	}
	return time.UnixMilli(ms).UTC().Format(ZonedForm)
}

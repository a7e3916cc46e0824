package decision

import (
	"regexp"
)

// validID reports whether an id has the form of NewID or of the original extension.
func validID(id string) bool {
	return regexp.MustCompile(`^D-\d{4}-\d{2}-\d{2}-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(id)
}

// Link records that a decision added by this change replaces an older one, which is in the
// log or part of this change, as soon as it is active.
func (e *Editor) Link(id, old string) {
	for i := range e.events {
		if d := &e.events[i].Data; e.events[i].ID == id && e.events[i].Op == OpAdd && d.Supersedes.ID == "" {
			d.Supersedes = RefTo(old)
		}
	}
}

// Place gives a decision of the log or of this change the status that it had elsewhere,
// with the reason and the id of its successor, "" for none.
func (e *Editor) Place(id string, to Status, reason, next string) error {
	data, op := Data{Status: &to}, OpStatus
	if reason != "" {
		clean, err := Clean(reason)
		if err != nil {
			return err
		}
		data.Reason = &clean
	}
	if next != "" {
		data.Next, op = &next, OpSupersede
	}
	if d := e.State.lookup(id); d != nil && !e.fresh[id] {
		return e.emit(op, d, data)
	}
	return e.append(op, nil, id, e.Now.UnixMilli(), data)
}

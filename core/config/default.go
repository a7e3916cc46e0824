package config

import (
	"fmt"
	"strings"
)

// DefaultFile is a pictx.toml that says every setting with its default and
// changes nothing: each setting is commented out, by a # with no space after
// it. Full dotted keys make each line right wherever it is uncommented.
func DefaultFile() []byte {
	var b strings.Builder
	b.WriteString("# Settings of pictx. Remove the # before a setting to change it; a # and a\n")
	b.WriteString("# space begin an explanation. Keep settings above the first [table], if you\n")
	b.WriteString("# add one.\n")
	for _, k := range Keys() {
		b.WriteString("\n# " + k.Doc + "\n")
		if note := k.note(); note != "" {
			b.WriteString("# " + note + "\n")
		}
		b.WriteString("#" + k.Name + " = " + k.Default + "\n")
	}
	return []byte(b.String())
}

// note is what the file says of a key besides its doc.
func (k Key) note() string {
	var notes []string
	if k.Type == Enum {
		notes = append(notes, "One of: "+strings.Join(k.Enum, ", ")+".")
	}
	if k.Type == Int && (k.From > 0 || k.To < maxInt) {
		notes = append(notes, fmt.Sprintf("From %d to %d.", k.From, k.To))
	}
	if k.UserOnly {
		notes = append(notes, "Counts only in the user's file, not in a project's.")
	}
	return strings.Join(notes, " ")
}

package kota

import (
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/kota"
)

// print prints an answer as text or JSON within its size limit. If that cuts the answer, the
// whole is stored as a blob.
func (k codeCommands) print(r kota.Reply, l answerLimits) error {
	if !l.byFlag {
		code, _, err := k.engines.settings()
		if err != nil {
			return err
		}
		l.maxBytes = r.Budget(max(code.MaxBytes, kota.MinBytes))
	}
	if !k.run.JSON {
		_, err := k.run.Out.WriteString(kota.Fit(l.maxBytes, r.Ways, k.keep))
		return err
	}
	if l.maxBytes > 0 {
		l.maxBytes -= len(cli.Version + ",") // which is inserted later
	}
	b, err := r.Answer.JSON(l.maxBytes, l.window)
	if err == nil && l.maxBytes > 0 {
		b, err = k.cutJSON(r, l, b)
	}
	if err != nil {
		return err
	}
	return k.run.Out.Document(b)
}

// cutJSON adds the id of the blob with the whole answer to a line of JSON that was cut.
func (k codeCommands) cutJSON(r kota.Reply, l answerLimits, b []byte) ([]byte, error) {
	whole, err := r.Answer.JSON(0, l.window)
	if err != nil || len(whole) <= l.maxBytes {
		return b, err
	}
	id := k.keepBlob(cli.Versioned(whole))
	if id == "" {
		return b, nil
	}
	field := `,"blob":"` + id + `"}` + "\n"
	if b, err = r.Answer.JSON(l.maxBytes-len(field), l.window); err != nil {
		return nil, err
	}
	return append(b[:len(b)-len("}\n")], field...), nil
}

// keep stores a whole answer and says how to get it.
func (k codeCommands) keep(whole string) string {
	if id := k.keepBlob([]byte(whole)); id != "" {
		return "full text: pictx expand " + id
	}
	return "--max-bytes 0 prints all"
}

// keepBlob stores a text and returns its short id, "" when it could not be stored or blobs are
// disabled.
func (k codeCommands) keepBlob(text []byte) string {
	cache, set, err := k.run.Blobs()
	if err != nil || !set.Enabled {
		return ""
	}
	info, err := cache.Put(text, "")
	if err != nil {
		return ""
	}
	return blob.ShortID(info.ID)
}

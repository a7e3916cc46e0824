package history

import (
	"fmt"
	"strings"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
)

// outputFile returns the file of a whole output that a pasted text names, or is.
func outputFile(args []string) string {
	text := strings.TrimSpace(strings.Join(args, " "))
	if strings.HasPrefix(text, "/") {
		text = "Full output: " + text
	}
	if found := blob.CutOutputs([]byte(text)); len(found) > 0 {
		return found[0]
	}
	return ""
}

// runExpandFile prints the copy of a file that pi left a whole output in.
func runExpandFile(a *cli.Run, o expandOptions, path string) error {
	slice, err := o.slice()
	if err != nil {
		return err
	}
	st, _, _, err := a.Blobs()
	if err != nil {
		return err
	}
	id := st.CopyOf(path)
	if id == "" {
		return exit.WithHint(exit.NotFound, "pictx blobs list", fmt.Errorf("expand %s: no blob is a copy of it", path))
	}
	b, err := st.Get(id)
	if err != nil {
		return fmt.Errorf("expand %s: %w", path, err)
	}
	return printBlob(a, b, o, slice)
}

// expandFull prints the whole of an output that an entry has a part of, when that is
// asked for. Otherwise it says that there is more, and where. done is set when
// nothing else is to be printed.
func expandFull(a *cli.Run, x *history.Expanded, o expandOptions, slice history.Slice) (done bool, err error) {
	files := blob.CutOutputs(x.Raw)
	if len(files) == 0 || o.raw {
		if o.full {
			return false, exit.WithHint(exit.NotFound, "pictx expand "+x.EntryID, fmt.Errorf("entry %s is whole: pi has cut nothing of it", x.EntryID))
		}
		return false, nil
	}
	st, _, _, err := a.Blobs()
	if err != nil {
		return false, err
	}
	id := ""
	for _, path := range files {
		if id = st.CopyOf(path); id != "" {
			break
		}
	}
	switch {
	case id == "" && o.full:
		return false, exit.WithHint(exit.NotFound, "pictx expand "+x.EntryID, fmt.Errorf("expand %s: the whole output is not in the cache; pi left it in %s", x.EntryID, files[0]))
	case id == "":
		return false, nil
	case !o.full:
		i, err := st.Find(id)
		if err == nil {
			fmt.Fprintf(a.Env.Err, "pictx: pi has cut this output; all of it, %s: pictx expand %s\n", text.Bytes(i.Bytes), blob.ShortID(id))
		}
		return false, nil
	}
	b, err := st.Get(id)
	if err != nil {
		return false, fmt.Errorf("expand %s: %w", x.EntryID, err)
	}
	return true, printBlob(a, b, o, slice)
}

package care

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/workspace"
)

// undoSetup undoes at t what setup changed besides the extension, and returns the
// sources that it put back into pi's settings.
func undoSetup(a *cli.Run, pl workspace.Place, t pi.Target, project bool) (restored []string, err error) {
	u, err := workspace.ReadUndo(pl)
	if err != nil {
		return nil, err
	}
	for i, e := range slices.Backward(u.Settings) {
		if e.File != t.SettingsFile() {
			continue
		}
		missing, err := workspace.RestorePiSettings(pl, t, e, project)
		if err != nil {
			return restored, setupError(t, err)
		}
		for _, source := range e.Sources() {
			if slices.Contains(missing, source) {
				fmt.Fprintf(a.Env.Err, "pictx: warning: setup removed %s from %s, which has changed since\nhint: pi install %s\n",
					text.TerminalLine(source), e.File, text.ShellWord(text.TerminalLine(source)))
			} else {
				restored = append(restored, source)
			}
		}
		u.Settings = slices.Delete(u.Settings, i, i+1)
	}
	return restored, u.Clean(t)
}

package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// reportError prints an error and returns its exit code.
func reportError(w io.Writer, err error, asJSON bool) int {
	code, hint := workspace.Verdict(err)
	said := strings.TrimSpace(err.Error())
	switch {
	case said == "" || code == exit.Interrupted && errors.Is(err, context.Canceled):
	case asJSON:
		type body struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Hint    string `json:"hint,omitempty"`
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		// There is no way left to report that writing an error failed.
		_ = enc.Encode(map[string]body{"error": {code, said, hint}})
	default:
		fmt.Fprintf(w, "pictx: %s\n", text.Printable(said))
		if hint != "" {
			fmt.Fprintf(w, "hint: %s\n", text.Printable(hint))
		}
	}
	return code
}

// runLine runs a command line for a caller without streams of its own: nothing is read, and
// no terminal is there.
func runLine(ctx context.Context, p *workspace.Process, args []string, out, errs io.Writer) int {
	return Main(ctx, &cli.Env{Process: *p, Args: args, In: strings.NewReader(""), Out: out, Err: errs, HookDeadline: cli.HookDeadline(p.Getenv("PICTX_HOOK_MS"))})
}

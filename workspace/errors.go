package workspace

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"regexp/syntax"
	"strings"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/mcp"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/sqlite"
)

// verdict is the exit code of an error, and its hint.
type verdict struct {
	is   error            // matches by errors.Is, or
	as   func(error) bool // by type
	code int
	hint string
}

// verdicts lists the errors whose hint does not depend on the error. The first match
// counts.
var verdicts = []verdict{
	{as: as[*decision.AmbiguousError], code: exit.Usage, hint: "give more of the id"},
	{as: as[*decision.NotFoundError], code: exit.NotFound, hint: "pictx decision list --all"},
	{as: as[*decision.TextError], code: exit.Usage},
	{is: decision.ErrReason, code: exit.Usage},
	{is: jsonl.ErrDecisionsBusy, code: exit.Busy, hint: "try again when the other process is done"},
	{as: as[*decision.NewerError], code: exit.Damaged, hint: "update pictx"},
	{as: as[*repo.OutsideError], code: exit.Refused},

	{is: object.ErrUnknown, code: exit.NotFound, hint: "pictx object list"},
	{is: object.ErrNotYet, code: exit.NotFound, hint: "pictx object history ID"},
	{is: object.ErrPurged, code: exit.NotFound, hint: "what is known of it: pictx object history ID"},
	{as: as[*object.AmbiguousError], code: exit.Usage, hint: "give more of the id"},
	{is: object.ErrLocked, code: exit.Refused},
	{is: object.ErrNickname, code: exit.Refused},
	{is: object.ErrQuery, code: exit.Usage, hint: "pictx object list --help"},

	{is: context.Canceled, code: exit.Interrupted},
	{is: sqlite.ErrNoStore, code: exit.NoProject, hint: "pictx import"},
	{is: sqlite.ErrBusy, code: exit.Busy, hint: "try again when the other process is done"},
	{is: sqlite.ErrNewer, code: exit.Damaged, hint: "update pictx"},
	{is: sqlite.ErrOlder, code: exit.Damaged, hint: "pictx store migrate"},
	{is: sqlite.ErrDamaged, code: exit.Damaged, hint: "pictx doctor"},
	{as: as[*blob.AmbiguousError], code: exit.Usage, hint: "pictx blobs list"},
	{is: blob.ErrID, code: exit.Usage, hint: "pictx blobs list"},
	{as: as[*blob.DamagedError], code: exit.NotFound, hint: "pictx blobs verify"},
	{is: blob.ErrNotFound, code: exit.NotFound, hint: "pictx blobs list"},
	{is: summary.ErrNotFound, code: exit.NotFound, hint: "for ids: pictx tree"},
	{as: as[*summary.AmbiguousError], code: exit.Usage, hint: "give more of the id"},
	{is: summary.ErrLeased, code: exit.Busy, hint: leasedHint},
	{is: summary.ErrFenced, code: exit.Busy, hint: leasedHint},
	{is: summary.ErrErased, code: exit.Busy, hint: "compact it again"},
	{is: history.ErrNotFound, code: exit.NotFound, hint: "for ids: pictx grep WORDS"},
	{is: history.ErrEmptyQuery, code: exit.Usage, hint: "pictx grep WORDS"},
	{as: as[*syntax.Error], code: exit.Usage, hint: "to take every character as it is: pictx grep WORDS"},
	{is: history.ErrNoSession, code: exit.Failed},
	{as: as[*history.AmbiguousError], code: exit.Usage, hint: "give more of the id, or --session ID"},
}

const leasedHint = "try again when the other process is done; when it was killed, in ten seconds"

// as reports whether an error is, or wraps, one of type E.
func as[E error](err error) bool { return errors.As(err, new(E)) }

// Verdict returns the exit code and the hint of an error. No other code maps errors to exit
// codes.
func Verdict(err error) (int, string) {
	var own *exit.Error
	var refused *decision.RefusedError
	var setting *config.Error
	switch {
	case errors.As(err, &own):
		return own.Code, own.Hint
	case errors.As(err, &refused):
		return exit.Refused, refused.How
	case errors.As(err, &setting):
		return exit.Usage, setting.Hint()
	}
	for _, v := range verdicts {
		if v.is != nil && errors.Is(err, v.is) || v.as != nil && v.as(err) {
			return v.code, v.hint
		}
	}
	return exit.Failed, ""
}

// KotaError adds exit codes and hints to the errors of the code index.
func KotaError(err error) error {
	var file *kota.UnknownFileError
	var symbol *kota.UnknownSymbolError
	var unchanged *kota.UnchangedError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kota.ErrNotIndexed):
		return exit.WithHint(exit.NoProject, "pictx kota index", err)
	case errors.As(err, &file) && strings.Contains(file.File, " ") && filepath.Ext(file.File) == "":
		return exit.WithHint(exit.NotFound, "pictx kota context --query "+text.ShellWord(file.File), err)
	case errors.As(err, &file):
		base := filepath.Base(filepath.FromSlash(file.File))
		name := strings.TrimSuffix(base, filepath.Ext(base))
		return exit.WithHint(exit.NotFound, "pictx kota search "+text.ShellWord(cmp.Or(name, base))+" --show paths", err)
	case errors.As(err, &symbol):
		return exit.WithHint(exit.NotFound, "pictx kota search "+text.ShellWord(symbol.Symbol)+" --scope symbols", err)
	case as[*syntax.Error](err):
		return exit.UsageError("to take every character as it is: pictx kota search TEXT", "search: %w", err)
	case errors.As(err, &unchanged):
		return exit.WithHint(exit.NotFound, "git diff --stat "+text.ShellWord(unchanged.Span), err)
	case as[*kota.QueryError](err):
		return exit.UsageError("pictx kota --help", "%w", err)
	case errors.Is(err, mcp.ErrKotaDB):
		return exit.WithHint(exit.Failed, "pictx config set kota.engine builtin", err)
	}
	return err
}

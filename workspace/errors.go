package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"strings"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/dialog"
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

// decisionVerdict returns the exit code and the hint of an error of the decisions;
// false for other errors.
func decisionVerdict(err error) (int, string, bool) {
	var equal *decision.EqualError
	var refused *decision.RefusedError
	switch {
	case errors.As(err, &equal):
		return exit.Refused, "--force adds it all the same, --update changes " + equal.Decision.ID, true
	case errors.As(err, &refused):
		return exit.Refused, refused.How, true
	case errors.As(err, new(*decision.AmbiguousError)):
		return exit.Usage, "give more of the id", true
	case errors.Is(err, dialog.ErrNoChoice):
		return exit.NotFound, "pictx decision add", true
	case errors.As(err, new(*decision.NotFoundError)):
		return exit.NotFound, "pictx decision list --all", true
	case errors.As(err, new(*decision.TextError)), errors.As(err, new(*decision.QueryError)):
		return exit.Usage, "", true
	case errors.Is(err, decision.ErrReason):
		return exit.Usage, "--reason WHY", true
	case errors.Is(err, decision.ErrRetention):
		return exit.Usage, "pictx decision init --retention, or pictx config set KEY DAYS", true
	case errors.Is(err, jsonl.ErrDecisionsBusy):
		return exit.Busy, "try again when the other process is done", true
	case errors.As(err, new(*decision.NewerError)):
		return exit.Damaged, "update pictx", true
	case errors.As(err, new(*repo.OutsideError)):
		return exit.Refused, "", true
	}
	return 0, "", false
}

// Verdict turns an error into the code and the hint that belong to it. This is
// the only place that knows which error means which code.
func Verdict(err error) (int, string) {
	var ee *exit.Error
	if errors.As(err, &ee) {
		return ee.Code, ee.Hint
	}
	if code, hint, ok := decisionVerdict(err); ok {
		return code, hint
	}
	if code, hint, ok := objectVerdict(err); ok {
		return code, hint
	}
	var ambiguous *history.AmbiguousError
	var hinted interface{ Hint() string }
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Interrupted, ""
	case errors.Is(err, sqlite.ErrNoStore):
		return exit.NoProject, "pictx import"
	case errors.Is(err, sqlite.ErrBusy):
		return exit.Busy, "try again when the other process is done"
	case errors.Is(err, sqlite.ErrNewer):
		return exit.Damaged, "update pictx"
	case errors.Is(err, sqlite.ErrOlder):
		return exit.Damaged, "pictx store migrate"
	case errors.Is(err, sqlite.ErrDamaged):
		return exit.Damaged, "pictx doctor"
	case errors.As(err, new(*blob.AmbiguousError)), errors.Is(err, blob.ErrID):
		return exit.Usage, "pictx blobs list"
	case errors.As(err, new(*blob.DamagedError)):
		return exit.NotFound, "pictx blobs verify"
	case errors.As(err, new(*blob.GoneError)):
		return exit.NotFound, "call the tool again that gave it"
	case errors.Is(err, blob.ErrNotFound):
		return exit.NotFound, "pictx blobs list"
	case errors.Is(err, summary.ErrNotFound):
		return exit.NotFound, "pictx tree shows ids"
	case errors.As(err, new(*summary.AmbiguousError)):
		return exit.Usage, "give more of the id"
	case errors.Is(err, summary.ErrLeased), errors.Is(err, summary.ErrFenced):
		return exit.Busy, "try again when the other process is done; when it was killed on another machine, in three minutes"
	case errors.Is(err, summary.ErrErased):
		return exit.Busy, "compact it again"
	case errors.Is(err, history.ErrNotFound):
		return exit.NotFound, "pictx grep WORDS shows ids"
	case errors.Is(err, history.ErrEmptyQuery):
		return exit.Usage, "pictx grep WORDS"
	case errors.As(err, new(*syntax.Error)):
		return exit.Usage, "pictx grep WORDS takes every character as it is"
	case errors.Is(err, history.ErrNoSession):
		return exit.Failed, ""
	case errors.As(err, &ambiguous):
		return exit.Usage, "give more of the id, or --session ID"
	case errors.As(err, new(*config.UnknownKeyError)), errors.As(err, new(*config.ValueError)),
		errors.As(err, new(*config.EditError)):
		errors.As(err, &hinted)
		return exit.Usage, hinted.Hint()
	}
	return exit.Failed, ""
}

// KotaError gives the errors of an engine their codes.
func KotaError(err error) error {
	var query *kota.QueryError
	var pattern *syntax.Error
	var file *kota.UnknownFileError
	var symbol *kota.UnknownSymbolError
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
	case errors.As(err, &pattern):
		return exit.UsageError("pictx kota search TEXT takes every character as it is", "search: %w", err)
	case errors.As(err, &query):
		return exit.UsageError("pictx kota --help", "%w", err)
	}
	if hinted := kotaDBError(err); hinted != nil {
		return hinted
	}
	return err
}

// kotaDBError gives the errors of KotaDB their hints. It returns nil for others.
func kotaDBError(err error) error {
	var missing *mcp.MissingError
	var late *mcp.TimeoutError
	var unsupported *kota.UnsupportedError
	switch {
	case errors.As(err, &missing):
		hint := "pictx config set kota.engine builtin"
		if filepath.Base(missing.Command[0]) == "bun" {
			hint = "npm install -g bun, or " + hint
		}
		return exit.WithHint(exit.Failed, hint, err)
	case errors.As(err, new(*mcp.StartError)), errors.As(err, new(*mcp.StoppedError)):
		return exit.WithHint(exit.Failed, "pictx config set kota.engine builtin", err)
	case errors.As(err, &late) && late.Tool == mcp.IndexTool:
		return exit.WithHint(exit.Failed, fmt.Sprintf("pictx config set kota.kotadb.index_seconds %d", 2*max(1, int(late.Limit.Seconds()))), err)
	case errors.As(err, &late):
		return exit.WithHint(exit.Failed, fmt.Sprintf("pictx config set kota.kotadb.query_seconds %d", 2*max(1, int(late.Limit.Seconds()))), err)
	case errors.As(err, &unsupported):
		return exit.WithHint(exit.Usage, "pictx kota "+unsupported.Verb+" --engine builtin", err)
	case errors.Is(err, kota.ErrBusy):
		return exit.WithHint(exit.Busy, "pictx kota status --engine builtin", err)
	}
	return nil
}

// objectVerdict turns errors about objects into exit codes and hints.
func objectVerdict(err error) (int, string, bool) {
	switch {
	case errors.Is(err, object.ErrUnknown):
		return exit.NotFound, "pictx object list", true
	case errors.Is(err, object.ErrNotYet):
		return exit.NotFound, "pictx object history ID", true
	case errors.Is(err, object.ErrEvicted):
		return exit.NotFound, "pictx object history ID shows what is known of it", true
	case errors.As(err, new(*object.AmbiguousError)):
		return exit.Usage, "give more of the id", true
	case errors.Is(err, object.ErrLocked), errors.Is(err, object.ErrNickname):
		return exit.Refused, "", true
	case errors.Is(err, object.ErrConflict):
		return exit.Refused, "try again", true
	case errors.Is(err, object.ErrQuery):
		return exit.Usage, "pictx object query --help", true
	}
	return 0, "", false
}

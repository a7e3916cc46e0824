package commands

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/commands/care"
	"github.com/coctostan/pictx/commands/compact"
	"github.com/coctostan/pictx/commands/decision"
	"github.com/coctostan/pictx/commands/history"
	"github.com/coctostan/pictx/commands/kota"
	"github.com/coctostan/pictx/commands/object"
	"github.com/coctostan/pictx/commands/prune"
	coredecision "github.com/coctostan/pictx/core/decision"
	corehistory "github.com/coctostan/pictx/core/history"
	coreobject "github.com/coctostan/pictx/core/object"
	coreprune "github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/jsonl"
	code "github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

// jsonContract is what pictx help json promises, written by hand: a field that
// is renamed or moved breaks somebody's script.
func jsonContract() map[string]string {
	return map[string]string{
		"import":                  "files unchanged ignored entries added bytes dry_run problems stores sessions summaries",
		"import problems":         "file line offset torn cause",
		"import sessions":         "path session entries added bytes unchanged replaced problems",
		"sessions":                "session name cwd file file_exists parent started last entries calls bytes",
		"grep":                    "session entry role tool is_error time snippet match copies off_branch summary project",
		"expand":                  "session entry parent type role tool is_error time text text_bytes left_out raw images",
		"describe":                "id session depth kind state sources parents first last messages start end tokens input_tokens model created text",
		"tree":                    "id session depth kind state sources parents first last messages start end tokens input_tokens model created text",
		"export":                  "session cwd started messages summaries",
		"export messages":         "id role tool is_error time text",
		"compact":                 "session dry_run messages covered written extracted calls input_tokens output_tokens roots depth tokens bound file chunks",
		"compact chunks":          "first last messages tokens",
		"prune":                   "session leaf policy messages acted outcome edits kept scanned_tokens before_tokens after_tokens pruned_tokens figures",
		"prune edits":             "index entry_id tool_name tokens marker_tokens marker source reason",
		"prune kept":              "index entry_id tool_name tokens reason",
		"prune reason":            "code text",
		"blobs list":              "id bytes stored_bytes used path sessions",
		"blobs show":              "id bytes stored_bytes used path sessions text left_out",
		"blobs gc":                "dry_run removed temps count stored_bytes",
		"blobs purge":             "dry_run removed unread",
		"blobs verify":            "blobs findings",
		"object list":             "id type label nickname tool status session version size lines state pinned valid_from valid_to known_from known_to content_hash meta_hash object_hash",
		"object show":             "id type label nickname tool status session version size lines state pinned valid_from valid_to known_from known_to content_hash meta_hash object_hash versions document content content_encoding",
		"object diff":             "id before after fields lines",
		"object diff lines":       "op text",
		"object refs":             "from field to ref resolved",
		"object activate":         "id session state changed note",
		"object why":              "id session state why pinned locked lines events",
		"object why events":       "time session leaf what actor reason",
		"object verify":           "objects versions facts findings",
		"object verify findings":  "id version problem",
		"object gc":               "dry_run texts stored_bytes versions",
		"object evict":            "id dry_run versions texts bytes shared entries blobs verified remains copies",
		"object watch":            "id path seen version",
		"decision list":           "v id title text tags status reason status_reason supersedes superseded_by conflicts note paths review created updated since by actor removed",
		"decision add":            "v action decisions related",
		"decision add related":    "id score class text",
		"decision status":         "v path branch enabled off trusted counts removed events damaged unknown conflicts bytes project newer",
		"decision purge":          "v done due redacted backup",
		"decision purge due":      "id status age_days over_days text",
		"decision reset":          "v done counts removed",
		"decision enable":         "v file enabled off",
		"decision init":           "v done files",
		"decision context":        "v enabled text shown left gone",
		"decision context shown":  "id line",
		"decision history":        "v time id did said by actor key line commit author",
		"decision diff":           "v kind id before after words fields",
		"decision diff words":     "op text",
		"decision audit":          "v findings checked fixed backup",
		"decision audit findings": "code ids line file message hint fixable",
		"decision export":         "v path state",
		"decision import":         "v file line text id state",

		"replay":          "sessions calls policies per_session",
		"replay policies": "name tokens_sent peak_context warm_rewrites edits edits_missing_text calls_missing_text deactivated deactivated_missing_text prices",
		"replay prices":   "bill bill_vs_none net_vs_none better_sessions worse_sessions worst_session_vs_none",

		"replay per_session":         "session file started calls policies",
		"replay policy of a session": "name first_prune tokens_sent peak_context warm_rewrites edits edits_missing_text calls_missing_text deactivated deactivated_missing_text prices",
		"replay prices of a session": "bill bill_vs_none net_vs_none",

		"replay --check":          "sessions",
		"replay --check sessions": "session calls prompt_tokens read_tokens prices",
		"replay --check prices":   "prompt_tokens read_tokens agrees",

		"config":         "key value default origin path",
		"config path":    "kind path exists", // pinned in a script: it has no type of its own
		"doctor":         "checks tables hooks failures",
		"doctor checks":  "name result message hint fixed",
		"doctor tables":  "name rows bytes",
		"doctor hooks":   "event calls p50_ms p95_ms failed",
		"setup pi":       "action dir state binary binary_runs files package backup originals",
		"setup pi files": "name state",

		"blobs gc removed":      "id bytes stored_bytes used why",
		"blobs verify findings": "id path problem",

		"setup pi originals": "name kind source command removed",

		"uninstall":       "removed kept stays",
		"uninstall stays": "path what bytes command removed",

		"history stats":           "store sessions entries texts text_bytes stored_bytes file_bytes summaries first last unindexed underived purged roles",
		"history stats roles":     "role entries",
		"history doctor":          "findings extracts fixed copy",
		"history doctor findings": "name count remedy",
		"history backup":          "file bytes",
		"history restore":         "store kept",
		"history vacuum":          "texts before_bytes after_bytes",
		"history purge":           "dry_run entries texts objects bytes sessions verified remains copies",
		"history purge sessions":  "session entries file",
		"history redact":          "dry_run entries texts objects bytes sessions verified remains copies",

		"log":                "time event session project transport ms bytes result decision error",
		"store migrate":      "schema indexed",
		"version":            "version revision modified go platform sqlite full_text schema",
		"kota index":         "engine root index indexed files skipped imports_only partial edges inferred unresolved computed external symbols bytes notes added removed updated written ms",
		"kota status":        "engine root index indexed files skipped imports_only partial edges inferred unresolved computed external symbols bytes notes",
		"kota skipped":       "name count",
		"kota search":        "freshness query total files list shown omitted offset truncated",
		"kota search list":   "file line text kind end before after",
		"kota deps":          "freshness file depth dependents dependencies unresolved external in_cycle partial",
		"kota side":          "total direct via_barrels production tests inferred list shown omitted offset truncated",
		"kota dep":           "file distance lines kinds type_only inferred test via",
		"kota missing":       "file line spec",
		"kota usages":        "freshness symbol definition candidates external confidence total files test_lines list shown omitted offset truncated",
		"kota usages list":   "file as via import lines test",
		"kota symbol":        "file line end name kind exported",
		"kota impact":        "freshness change_type risk reasons changed direct total tests_total surface_total breaks_total clashes breaks tests dependents surface truncated",
		"kota surface":       "file name used_by",
		"kota context":       "freshness files tests_total tests impacted_total impacted truncated",
		"kota context files": "file lines package dependents dependencies tests exports exports_total imports symbols partial",
		"kota map":           "freshness total list shown omitted offset truncated",
		"kota map list":      "file dependents symbols",
		"kota cycles":        "freshness total type_only groups files list sampled shown omitted offset truncated",
		"kota cycles list":   "files type_only",
		"kota graph":         "file total nodes edges",
		"kota graph edges":   "from to type_only inferred",
	}
}

func TestHelpJSONListsTheFieldsThatAreThere(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(jsonContract(), topicFields(t)); diff != "" {
		t.Errorf("topics/json.txt (-want +got):\n%s", diff)
	}
}

// topicFields reads the table of pictx help json: a command in column 2, its
// fields in column 17, "part:" before those of a part. A long name stands alone.
func topicFields(t *testing.T) map[string]string {
	t.Helper()
	const column = 17
	text, _ := topic("json")
	got := make(map[string]string)
	command, key := "", ""
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "  ") && len(line) > 2 && line[2] != ' ' && (len(line) <= column || line[column-1] != ' ' && line[column] != ' ') {
			command, key = strings.TrimSpace(line), strings.TrimSpace(line) // too long a name has a line of its own
			continue
		}
		if !strings.HasPrefix(line, "  ") || len(line) <= column {
			continue
		}
		if name := strings.TrimSpace(line[:column]); name != "" {
			command, key = name, name
		}
		fields := line[column:]
		if part, rest, ok := strings.Cut(fields, ": "); ok {
			key, fields = command+" "+part, rest
		}
		got[key] = strings.TrimSpace(got[key] + " " + fields)
	}
	return got
}

// Holds history 75.
func TestJSONTypesHaveTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"import": history.ImportSummary{}, "import problems": history.ImportProblem{}, "import sessions": corehistory.Report{},
		"sessions": history.SessionJSON{}, "grep": history.HitJSON{}, "expand": history.ExpandedJSON{},
		"describe": history.SummaryJSON{}, "tree": history.SummaryJSON{}, "export messages": history.HistoryMessage{}, "compact": compact.CompactJSON{}, "compact chunks": compact.CompactChunk{},
		"prune": prune.PlanJSON{}, "prune edits": coreprune.Edit{}, "prune kept": coreprune.Kept{}, "prune reason": coreprune.Reason{},
		"blobs list": history.BlobJSON{}, "blobs show": history.ShownBlobJSON{}, "blobs gc": history.BlobsGCJSON{}, "blobs gc removed": history.RemovedJSON{},
		"object list": object.ObjectJSON{}, "object show": object.ShownJSON{}, "object diff": object.ObjectDiffJSON{}, "object diff lines": coreobject.Line{},
		"object refs": object.RefJSON{}, "object activate": object.ObjectDone{}, "object why": object.WhyJSON{}, "object why events": object.ObjectEventJSON{},
		"object verify": object.ObjectVerifyJSON{}, "object verify findings": sqlite.ObjectFinding{}, "object gc": object.ObjectGCJSON{},
		"object evict": object.ObjectEvictJSON{}, "object watch": object.WatchJSON{},
		"blobs purge": history.BlobsPurgeJSON{}, "blobs verify": history.BlobsVerifyJSON{}, "blobs verify findings": history.FindingJSON{},
		"decision list": coredecision.View{}, "decision add": decision.ChangedJSON{}, "decision add related": decision.RelatedJSON{},
		"decision status": decision.DecisionStatusJSON{}, "decision purge": decision.DecisionPurgeJSON{}, "decision purge due": decision.DueJSON{},
		"decision reset": decision.ResetJSON{}, "decision enable": decision.SwitchJSON{}, "decision init": decision.InitJSON{},
		"decision context": decision.ContextJSON{}, "decision context shown": coredecision.ShownLine{}, "decision history": coredecision.EventView{},
		"decision diff": coredecision.DifferenceView{}, "decision diff words": coredecision.Word{}, "decision audit": decision.AuditJSON{},
		"decision audit findings": coredecision.Finding{}, "decision export": decision.RecordJSON{}, "decision import": decision.ImportedJSON{},
		"replay": replay.Comparison{}, "replay policies": replay.PolicyTotal{}, "replay prices": replay.TotalBill{},
		"replay per_session": replay.SessionResult{}, "replay policy of a session": replay.SessionPolicy{},
		"replay prices of a session": replay.SessionBill{}, "replay --check": prune.CacheCheck{},
		"replay --check sessions": prune.CacheCheckSession{}, "replay --check prices": prune.CacheCheckPrices{},
		"config": care.SettingJSON{}, "doctor checks": care.CheckResult{}, "doctor tables": sqlite.TableSize{},
		"doctor hooks": care.HookTimes{}, "setup pi": care.SetupJSON{}, "setup pi files": pi.FileStatus{}, "setup pi originals": care.OriginalJSON{},
		"kota index": kota.KotaIndexJSON{}, "kota status": code.Status{}, "kota skipped": code.Count{},
		"kota search": code.Hits{}, "kota search list": code.Hit{}, "kota deps": code.Deps{}, "kota side": code.Side{},
		"kota dep": code.Dep{}, "kota missing": code.Missing{}, "kota usages": code.Usages{}, "kota usages list": code.Usage{},
		"kota symbol": code.Definition{}, "kota impact": code.Impact{}, "kota surface": code.Export{},
		"kota context": code.Briefing{}, "kota context files": code.FileBrief{}, "kota map": code.Map{}, "kota map list": code.MapFile{},
		"kota cycles": code.Cycles{}, "kota cycles list": code.Cycle{}, "kota graph": code.Graph{}, "kota graph edges": code.GraphEdge{},
		"uninstall": care.UninstallJSON{}, "uninstall stays": care.Leftover{}, "log": jsonl.LogEntry{},
		"version":       workspace.VersionInfo{},
		"history stats": history.HistoryStatsJSON{}, "history stats roles": sqlite.RoleCount{}, "history doctor": history.HistoryDoctorJSON{},
		"history doctor findings": sqlite.Finding{}, "history backup": history.HistoryBackupJSON{}, "history restore": history.HistoryRestoreJSON{},
		"history vacuum": history.HistoryVacuumJSON{}, "history purge": history.EraseJSON{}, "history purge sessions": history.EraseSession{}, "history redact": history.EraseJSON{},
	} {
		if diff := cmp.Diff(jsonContract()[name], strings.Join(jsonNames(reflect.TypeOf(v)), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// jsonNames returns a struct's field names in JSON, those of embedded structs
// in their place.
func jsonNames(typ reflect.Type) []string {
	var out []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "":
			out = append(out, jsonNames(f.Type)...)
		case name != "-" && name != "":
			out = append(out, name)
		}
	}
	return out
}

package commands

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/sqlite"
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
		"import": importSummary{}, "import problems": importProblem{}, "import sessions": history.Report{},
		"sessions": sessionJSON{}, "grep": hitJSON{}, "expand": expandedJSON{},
		"describe": summaryJSON{}, "tree": summaryJSON{}, "export messages": historyMessage{}, "compact": compactJSON{}, "compact chunks": compactChunk{},
		"prune": planJSON{}, "prune edits": prune.Edit{}, "prune kept": prune.Kept{}, "prune reason": prune.Reason{},
		"blobs list": blobJSON{}, "blobs show": shownBlobJSON{}, "blobs gc": blobsGCJSON{}, "blobs gc removed": removedJSON{},
		"object list": objectJSON{}, "object show": shownJSON{}, "object diff": objectDiffJSON{}, "object diff lines": object.Line{},
		"object refs": refJSON{}, "object activate": objectDone{}, "object why": whyJSON{}, "object why events": objectEventJSON{},
		"object verify": objectVerifyJSON{}, "object verify findings": sqlite.ObjectFinding{}, "object gc": objectGCJSON{},
		"object evict": objectEvictJSON{}, "object watch": watchJSON{},
		"blobs purge": blobsPurgeJSON{}, "blobs verify": blobsVerifyJSON{}, "blobs verify findings": findingJSON{},
		"decision list": decision.View{}, "decision add": changedJSON{}, "decision add related": relatedJSON{},
		"decision status": decisionStatusJSON{}, "decision purge": decisionPurgeJSON{}, "decision purge due": dueJSON{},
		"decision reset": resetJSON{}, "decision enable": switchJSON{}, "decision init": initJSON{},
		"decision context": contextJSON{}, "decision context shown": decision.ShownLine{}, "decision history": decision.EventView{},
		"decision diff": decision.DifferenceView{}, "decision diff words": decision.Word{}, "decision audit": auditJSON{},
		"decision audit findings": decision.Finding{}, "decision export": recordJSON{}, "decision import": importedJSON{},
		"replay": replay.Comparison{}, "replay policies": replay.PolicyTotal{}, "replay prices": replay.TotalBill{},
		"replay per_session": replay.SessionResult{}, "replay policy of a session": replay.SessionPolicy{},
		"replay prices of a session": replay.SessionBill{}, "replay --check": cacheCheck{},
		"replay --check sessions": cacheCheckSession{}, "replay --check prices": cacheCheckPrices{},
		"config": settingJSON{}, "doctor checks": checkResult{}, "doctor tables": sqlite.TableSize{},
		"doctor hooks": hookTimes{}, "setup pi": setupJSON{}, "setup pi files": pi.FileStatus{}, "setup pi originals": originalJSON{},
		"kota index": kotaIndexJSON{}, "kota status": kota.Status{}, "kota skipped": kota.Count{},
		"kota search": kota.Hits{}, "kota search list": kota.Hit{}, "kota deps": kota.Deps{}, "kota side": kota.Side{},
		"kota dep": kota.Dep{}, "kota missing": kota.Missing{}, "kota usages": kota.Usages{}, "kota usages list": kota.Usage{},
		"kota symbol": kota.Definition{}, "kota impact": kota.Impact{}, "kota surface": kota.Export{},
		"kota context": kota.Briefing{}, "kota context files": kota.FileBrief{}, "kota map": kota.Map{}, "kota map list": kota.MapFile{},
		"kota cycles": kota.Cycles{}, "kota cycles list": kota.Cycle{}, "kota graph": kota.Graph{}, "kota graph edges": kota.GraphEdge{},
		"uninstall": uninstallJSON{}, "uninstall stays": leftover{}, "log": jsonl.LogEntry{},
		"version":       versionInfo{},
		"history stats": historyStatsJSON{}, "history stats roles": sqlite.RoleCount{}, "history doctor": historyDoctorJSON{},
		"history doctor findings": sqlite.Finding{}, "history backup": historyBackupJSON{}, "history restore": historyRestoreJSON{},
		"history vacuum": historyVacuumJSON{}, "history purge": eraseJSON{}, "history purge sessions": eraseSession{}, "history redact": eraseJSON{},
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

package commands

import (
	"testing"

	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
)

// jsonContract is what pictx help json promises, written by hand: a field that
// is renamed or moved breaks somebody's script. Each noun of commands tests its own
// types against the same topic.
func jsonContract() map[string]string {
	return map[string]string{
		"import":                   "files unchanged ignored entries added bytes dry_run problems stores sessions summaries",
		"import problems":          "file line offset torn cause",
		"import sessions":          "path session entries added bytes unchanged replaced problems",
		"sessions":                 "session name title agent model dollars priced cwd file file_exists parent started last entries calls bytes",
		"usage":                    "by groups total pruned summaries",
		"usage groups":             "key requests input output cache_read cache_write cached dollars saved unpriced",
		"usage pruned":             "results tokens",
		"usage summaries":          "count input output dollars",
		"grep":                     "session entry role tool is_error time snippet match copies line other blob off_branch replaced summary project root answer",
		"grep answer":              "entry text line",
		"expand":                   "session entry parent type role tool is_error time text text_bytes left_out raw images",
		"describe":                 "id session depth kind state sources parents first last messages start end tokens input_tokens model created text",
		"tree":                     "id session depth kind state sources parents first last messages start end tokens input_tokens model created text",
		"export":                   "session cwd started messages summaries",
		"export messages":          "id role tool is_error time text",
		"compact":                  "session dry_run messages covered written extracted calls models input_tokens output_tokens roots depth tokens bound file chunks",
		"compact chunks":           "first last messages tokens",
		"prune":                    "session leaf policy messages acted outcome edits kept scanned_tokens before_tokens after_tokens pruned_tokens figures",
		"prune edits":              "index entry_id tool_name tokens marker_tokens marker source reason",
		"prune kept":               "index entry_id tool_name tokens reason",
		"prune reason":             "code text",
		"pin":                      "target is_path reason time",
		"blobs list":               "id bytes stored_bytes used path sessions",
		"blobs show":               "id bytes stored_bytes used path sessions text left_out",
		"blobs gc":                 "dry_run removed temps count stored_bytes",
		"blobs purge":              "dry_run removed unread",
		"blobs verify":             "blobs findings",
		"object list":              "id type label nickname tool status session version size lines state pinned from to content_hash meta_hash object_hash",
		"object show":              "id type label nickname tool status session version size lines state pinned from to content_hash meta_hash object_hash versions document content content_encoding",
		"object show --diff":       "id before after fields lines",
		"object show --diff lines": "op text",
		"object activate":          "id session state changed note",
		"object show --why":        "id session state why pinned locked lines events",
		"object show --why events": "time session leaf what actor reason",
		"object watch":             "id path seen version",
		"decision list":            "v id title text tags status reason status_reason supersedes superseded_by conflicts note paths review created updated since by actor removed consequences decided sides rivals",
		"decision list sides":      "field a b",
		"decision add":             "v action decisions closest",
		"decision status":          "v path off trusted counts removed events damaged conflicts",
		"decision purge":           "v done due redacted backup",
		"decision purge due":       "id status age_days over_days text",
		"decision init":            "v done files",
		"decision context":         "v enabled text shown left gone",
		"decision context shown":   "id line",
		"decision show --history":  "v time id did said by actor key line commit author",
		"decision diff":            "v kind id before after words fields",
		"decision diff words":      "op text",
		"decision audit":           "v findings checked fixed backup",
		"decision audit findings":  "code ids line file message hint fixable level",
		"decision export":          "v path state",
		"decision import":          "v file text id state",

		"config":         "key value default origin path",
		"doctor":         "checks tables hooks failures",
		"doctor checks":  "name result message hint fixed",
		"doctor tables":  "name rows bytes",
		"doctor hooks":   "event calls p50_ms p95_ms failed",
		"setup pi":       "action dir state binary binary_runs files package backup originals",
		"setup pi files": "name state",

		"blobs gc removed":      "id bytes stored_bytes used why",
		"blobs verify findings": "id path problem",

		"setup pi originals": "name kind source command removed",

		"uninstall":       "removed kept restored stays pruned",
		"uninstall stays": "path what bytes command removed",

		"history stats":           "store sessions entries texts text_bytes stored_bytes file_bytes summaries first last unindexed purged roles",
		"history stats roles":     "role entries",
		"history doctor":          "findings extracts fixed copy",
		"history doctor findings": "name count remedy",
		"history backup":          "file bytes",
		"history restore":         "store kept",
		"history vacuum":          "texts before_bytes after_bytes",
		"history purge":           "dry_run entries texts objects bytes sessions verified remains copies kept elsewhere blobs",
		"history purge sessions":  "session entries file",
		"history redact":          "dry_run entries texts objects bytes sessions verified remains copies kept elsewhere blobs",

		"log":                          "time event session project transport ms bytes result decision error asked",
		"store migrate":                "schema indexed",
		"version":                      "version revision modified go platform sqlite full_text schema",
		"kota index":                   "engine root index indexed files skipped imports_only partial edges inferred unresolved computed external symbols languages outside_default_build generated bytes notes gaps not_read added removed updated written ms",
		"kota status":                  "engine root index indexed files skipped imports_only partial edges inferred unresolved computed external symbols languages outside_default_build generated bytes notes gaps not_read",
		"kota skipped":                 "name count",
		"kota languages":               "name count",
		"kota search":                  "freshness incomplete query total files ranked list shown omitted offset truncated",
		"kota search list":             "file line text kind end before after why score also label",
		"kota search also":             "line text",
		"kota deps":                    "freshness incomplete file depth dependents dependencies unresolved external in_cycle partial gone",
		"kota side":                    "total direct via_barrels production tests test_support inferred list shown omitted offset truncated",
		"kota dep":                     "file distance lines kinds type_only inferred test test_support via takes label",
		"kota missing":                 "file line spec",
		"kota usages":                  "freshness incomplete symbol definition candidates others external missing confidence total files test_lines unlisted list shown omitted offset truncated",
		"kota usages list":             "file as via import lines code likely unlikely test test_support label",
		"kota symbol":                  "file line end name kind exported label",
		"kota impact":                  "freshness incomplete change_type risk reasons changed names direct total tests_direct tests_total test_support_total surface_total breaks_total clashes breaks tests dependents surface truncated",
		"kota gap":                     "file line spec why",
		"replay":                       "sessions requests worlds policies per_session shared_requests unpriced_requests",
		"replay worlds":                "world date about",
		"replay policies":              "name worlds",
		"replay worlds of a policy":    "world date bill_vs_none median_session_vs_none worst_session_vs_none sessions_better sessions_worse dollars dollars_saved tokens requests tokens_sent peak_context warm_rewrites edits edits_missing_text calls_missing_text running_turn_thinking_lost parts",
		"replay per_session":           "session file started requests policies",
		"replay policy of a session":   "name first_prune bill_vs_none dollars requests tokens_sent peak_context warm_rewrites edits edits_missing_text calls_missing_text running_turn_thinking_lost",
		"kota code":                    "line text",
		"kota candidate":               "file line end name kind exported label uses used_files",
		"kota surface":                 "file name used_by",
		"kota context":                 "freshness incomplete files tests_total tests impacted_total impacted truncated",
		"kota context files":           "file lines package dependents dependencies tests exports exports_total imports symbols partial",
		"kota map":                     "freshness incomplete total list shown omitted offset truncated",
		"kota map list":                "file dependents symbols",
		"kota map --cycles":            "freshness incomplete total type_only groups files list sampled shown omitted offset truncated",
		"kota map --cycles list":       "files type_only",
		"kota graph":                   "file total nodes edges",
		"kota graph edges":             "from to type_only inferred",
		"kota context --query":         "freshness incomplete query files next related tests_total tests truncated",
		"kota context --query files":   "file line text kind end before after why score also label exports dependents tests",
		"kota context --query related": "file imported_by",
	}
}

func TestHelpJSONListsTheFieldsThatAreThere(t *testing.T) {
	t.Parallel()
	text, ok := Topic("json")
	if !ok {
		t.Fatal("there is no topic json")
	}
	must.Match(t, clitest.TopicFields(text), jsonContract(), "topics/json.txt")
}

package commands

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/must"
)

// TestHistoryStatsAndDoctorCountTheSame compares every count that both print.
func TestHistoryStatsAndDoctorCountTheSame(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.plant(p.file, secretSession("main", p.project, ""))
	p.must("store", "migrate")
	var stats struct {
		Sessions, Entries, Texts int
		Bytes                    int64 `json:"file_bytes"`
	}
	var doctor struct {
		Checks []struct{ Name, Message string }
		Tables []struct {
			Name string
			Rows int
		}
	}
	_, out := p.shell("history", "stats", "--json")
	_, found := p.shell("doctor", "--json")
	must.Do(t, errors.Join(json.Unmarshal([]byte(out), &stats), json.Unmarshal([]byte(found), &doctor)))
	rows, said := make(map[string]int), make(map[string]string)
	for _, table := range doctor.Tables {
		rows[table.Name] = table.Rows
	}
	for _, c := range doctor.Checks {
		said[c.Name] = c.Message
	}
	must.Not(t, rows["conversations"] != stats.Sessions || rows["messages"] != stats.Entries || rows["content"] != stats.Texts, "stats %+v, tables of doctor %v", stats, rows)
	want := text.Count(stats.Entries, "entry") + " of " + text.Count(stats.Sessions, "session") + ", " + text.Bytes(stats.Bytes)
	must.Not(t, !strings.HasPrefix(said["store"], want), "doctor says %q, stats %q", said["store"], want)
}

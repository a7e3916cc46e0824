package house

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// gauge bounds a figure of every place in the house: of a package, a type, an
// interface or a function.
type gauge struct {
	name string
	// measure returns the figure of each place, at least of those that have one.
	measure func([]file) map[string]figure
	// max is what a place may have.
	max int
	// step is what a limit above max is rounded up to, so that not every line that is
	// added or removed changes it. Zero means that a limit is exact.
	step int
	// above holds the places that are above max today, each with its limit. A limit
	// only falls: the test fails when it is exceeded, and when it could be lower.
	above map[string]int
	// apart holds the places that the gauge does not apply to, each with the reason. A
	// package stands for those below it.
	apart map[string]string
}

// figure is what was measured at a place.
type figure struct {
	n int
	// at lists the source positions that were counted, where that says something.
	at []string
}

// gauges is the whole table: lower a limit here when the test says so.
var gauges = []gauge{
	{
		name: "lines of a package", measure: packageLines, max: 5000, step: 100,
		above: map[string]int{},
	},
	{
		name: "methods of a type", measure: receiverMethods, max: 40,
		apart: map[string]string{
			"kota/lang/ts/scan.parser": "a recursive-descent parser has a method for each form of the grammar",
		},
	},
	{
		name: "methods of an interface", measure: interfaceMethods, max: 10,
		above: map[string]int{},
	},
	{
		name: "methods of a port of core", measure: portMethods, max: 5,
	},
	{
		name: "parameters of a function", measure: parameters, max: 5,
		above: map[string]int{
			"bench/kota/main.go run":                        6,
			"kota/index/flow.go flow.bind":                  6,
			"kota/index/flow.go flow.take":                  6,
			"kota/lang/ts/scan/statement.go parser.class":   6,
			"kota/lang/ts/scan/statement.go parser.declare": 6,
			"kota/text.go block":                            6,
		},
	},
	// What all of it may have only falls. A capability that adds lines says which go.
	{name: "lines of all that is shipped", measure: shippedLines, step: 100, above: map[string]int{whole: 91400}},
	{name: "packages of all that is shipped", measure: shippedPackages, above: map[string]int{whole: 68}},
	{name: "commands", measure: commandsOf, above: map[string]int{whole: 73}},
	{name: "flags of commands", measure: flagsOf, above: map[string]int{whole: 216}},
	{name: "lines of nine functions out of ten", measure: functionLines, max: 28},
	{name: "complexity of a function", measure: complexities, max: 24},
	{
		name: "downcasts to a concrete store", measure: downcasts,
	},
	{name: "clock and standard streams in core", measure: impurities},
	{
		name: "uses of files", measure: fileUses,
		above: map[string]int{ // files that a person names, and what care finds on the machine
			"commands/care":     11,
			"commands/decision": 4,
			"commands/kota":     2,
			"commands/object":   1,
		},
		apart: map[string]string{
			"core/blob":  "keeps blobs as files, within an os.Root",
			"hooks/pi":   "installs the extension",
			"agents":     "reads what agents keep",
			"jsonl":      "writes the logs",
			"kota/index": "reads the project's sources",
			"kota/mcp":   "guards the database of another program",
			"repo":       "reads and writes files of projects that nobody vouches for",
			"sqlite":     "looks after the files of the store",
			"workspace":  "finds projects, their settings and stores, and watches their files",
			"bench":      "is not shipped",
			"internal":   "is not shipped",
			"man":        "is not shipped",
		},
	},
	{
		name: "os in hooks", measure: hooksImportingOS,
		apart: map[string]string{
			"hooks/pi": "installs the extension",
		},
	},
	{
		name: "other processes", measure: startingProcesses,
		above: map[string]int{"commands/care": 1}, // an editor
		apart: map[string]string{
			"commands/cli": "runs the user's pager",
			"kota/mcp":     "starts KotaDB",
			"repo":         "runs git",
			"workspace":    "runs the model of the user",
			"bench":        "is not shipped",
			"internal":     "is not shipped",
		},
	},
	{name: "package variables that can change", measure: mutableState},
}

func TestGauges(t *testing.T) {
	var shipped []file // without tests and the generators, which are run by name
	for _, f := range files(t) {
		if !f.test && !ignored(f) {
			shipped = append(shipped, f)
		}
	}
	for _, g := range gauges {
		t.Run(g.name, func(t *testing.T) {
			for _, fault := range g.faults(g.measure(shipped)) {
				t.Error(fault)
			}
		})
	}
}

// What tests may have only falls, too: one that is added takes the place of another, or stands
// in its table.
func TestTestsDoNotGrow(t *testing.T) {
	g := gauge{name: "lines of tests", step: 500, above: map[string]int{whole: 62500}}
	var tests []file
	for _, f := range files(t) {
		if f.test && !within(f.dir, "bench") {
			tests = append(tests, f)
		}
	}
	lines := 0
	for _, f := range packageLines(tests) {
		lines += f.n
	}
	for _, fault := range g.faults(map[string]figure{whole: {n: lines}}) {
		t.Error(fault)
	}
}

// faults compares figures with the limits.
func (g gauge) faults(figures map[string]figure) []string {
	var out []string
	for _, place := range slices.Sorted(maps.Keys(figures)) {
		if slices.ContainsFunc(slices.Collect(maps.Keys(g.apart)), func(pkg string) bool { return within(place, pkg) }) {
			continue
		}
		f := figures[place]
		limit, listed := g.above[place]
		switch {
		case f.n > max(limit, g.max):
			where := strings.Join(f.at, "\n\t")
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %d, at most %d\n\t%s", place, f.n, max(limit, g.max), where)))
		case listed && f.n <= g.max:
			out = append(out, fmt.Sprintf("%s: %d, which is within the %d that every place may have: remove its limit of %d", place, f.n, g.max, limit))
		case listed && g.rounded(f.n) < limit:
			out = append(out, fmt.Sprintf("%s: %d is less than its limit: lower it to %q: %d", place, f.n, place, g.rounded(f.n)))
		}
	}
	for _, place := range slices.Sorted(maps.Keys(g.above)) {
		if _, ok := figures[place]; !ok {
			out = append(out, place+": there is nothing left to limit: remove it from the table")
		}
	}
	return out
}

// rounded is n as a limit.
func (g gauge) rounded(n int) int {
	if g.step == 0 {
		return n
	}
	return (n + g.step - 1) / g.step * g.step
}

func TestALimitOnlyFalls(t *testing.T) {
	g := gauge{max: 10, above: map[string]int{"high": 30, "step": 30}, apart: map[string]string{"parser": "a reason"}}
	for name, c := range map[string]struct {
		step    int
		figures map[string]int
		want    string // a part of the one fault, "" for none
	}{
		"at the limit":        {0, map[string]int{"high": 30, "step": 30, "other": 10}, ""},
		"above the limit":     {0, map[string]int{"high": 31, "step": 30}, "high: 31, at most 30"},
		"below the limit":     {0, map[string]int{"high": 29, "step": 30}, `lower it to "high": 29`},
		"within max":          {0, map[string]int{"high": 10, "step": 30}, "remove its limit"},
		"gone":                {0, map[string]int{"step": 30}, "high: there is nothing left to limit"},
		"unlisted":            {0, map[string]int{"high": 30, "step": 30, "other": 11}, "other: 11, at most 10"},
		"set apart":           {0, map[string]int{"high": 30, "step": 30, "parser": 99, "parser/tree": 99}, ""},
		"beside what is":      {0, map[string]int{"high": 30, "step": 30, "parsers": 99}, "parsers: 99, at most 10"},
		"within a step":       {10, map[string]int{"high": 30, "step": 21}, ""},
		"a whole step below":  {10, map[string]int{"high": 30, "step": 20}, `lower it to "step": 20`},
		"above within a step": {10, map[string]int{"high": 31, "step": 30}, "high: 31, at most 30"},
	} {
		figures := map[string]figure{}
		for place, n := range c.figures {
			figures[place] = figure{n: n}
		}
		g.step = c.step
		got := g.faults(figures)
		must.Not(t, c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)), "%s: %q, want %q", name, got, c.want)
	}
}

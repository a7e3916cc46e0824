package report

import (
	"bytes"
	"strings"
	"testing"

	walk "github.com/coctostan/pictx/core/session"

	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
)

func TestBlockIsAsLongAsItsValue(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{0: "", 10: "██████████", 5: "█████", 1.125: "█▏", 0.01: "", 9.9: "█████████▉"} {
		if got := block(value, 10, 10); got != want {
			t.Errorf("%v: %q, want %q", value, got, want)
		}
	}
	if got := block(0, 0, 10); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestContextChartShowsLineAndArea(t *testing.T) {
	t.Parallel()
	course := func(sizes ...int) (points []replay.Point) {
		for i, n := range sizes {
			points = append(points, replay.Point{Request: i + 1, Tokens: token.Count(n)})
		}
		return points
	}
	none, auto := course(0, 80, 80, 80), course(0, 80, 40, 40)
	auto[2].Change = replay.ChangedWarm
	s := &replay.SessionResult{Requests: 4, Policies: []replay.SessionPolicy{
		{Name: "none", Series: none}, {Name: "auto", Series: auto},
	}}
	var b bytes.Buffer
	ContextChart(&b, s, Terminal{Width: 84})
	lines := strings.Split(b.String(), "\n")
	if len(lines) < chartHeight+4 || !strings.HasPrefix(lines[1], "    80 │") || !strings.HasPrefix(lines[chartHeight], "     0 │") {
		t.Fatalf("the chart is\n%s", b.String())
	}
	top, middle := []rune(lines[1]), []rune(lines[1+chartHeight/2])
	// At the right the line is at the top and the area ends in the middle. In the second
	// quarter both are at the top.
	if got := top[len(top)-1]; got == ' ' || got == 0x28ff {
		t.Errorf("the line is %q:\n%s", got, b.String())
	}
	if got := middle[len(middle)-1]; got != 0x28ff {
		t.Errorf("the area is %q:\n%s", got, b.String())
	}
	if row := lines[chartHeight+2]; strings.TrimSpace(row) != "w" {
		t.Errorf("what happened is %q", row)
	}
}

func TestContextChartTakesAnyNumberOfCalls(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		points := make([]replay.Point, n)
		for i := range points {
			points[i] = replay.Point{Request: i + 1, Tokens: token.Count(i * i), Start: walk.AfterCompaction}
		}
		s := &replay.SessionResult{Policies: []replay.SessionPolicy{{Name: "none", Series: points}}}
		var b bytes.Buffer
		ContextChart(&b, s, Terminal{Width: 84})
		if (b.Len() == 0) != (n == 0) {
			t.Errorf("%d calls:\n%s", n, b.String())
		}
	}
}

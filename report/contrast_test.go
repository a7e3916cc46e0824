package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// decoration are the colours that carry no information: surfaces, separators and guides.
var decoration = map[string]bool{"paper": true, "card": true, "line": true, "track": true, "hill": true}

// Every page meets the contrast requirements of WCAG 2.2 AA: at least 4.5:1 between text
// and its background, and 3:1 for graphics and the borders of fields.
func TestColoursHaveEnoughContrast(t *testing.T) {
	t.Parallel()
	style := must.Get(assets.ReadFile("assets/style.css"))(t)
	palettes := regexp.MustCompile(`(?s):root \{(.*?)\n *\}`).FindAllStringSubmatch(string(style), -1)
	must.Stop(t, len(palettes) != 2, "%d palettes, want one for light and one for dark", len(palettes))
	uses := usesOf(string(style))
	must.Stop(t, len(uses) < 40, "only %d uses of colours were found", len(uses))
	for i, p := range palettes {
		colours := make(map[string][3]float64)
		for _, m := range regexp.MustCompile(`--(\w+): #(\w{6})`).FindAllStringSubmatch(p[1], -1) {
			n := must.Get(strconv.ParseUint(m[2], 16, 32))(t)
			colours[m[1]] = [3]float64{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}
		}
		for _, u := range uses {
			for _, ground := range u.grounds {
				on := colours[ground]
				if got := contrast(blend(colours[u.colour], on, u.opacity), on); got < u.least {
					t.Errorf("%s, %s: %s on %s has a contrast of %.2f, want %.1f", []string{"light", "dark"}[i], u.rule, u.colour, ground, got, u.least)
				}
			}
		}
	}
}

// colourUse is a colour that a rule of the stylesheet uses on some backgrounds.
type colourUse struct {
	rule, colour   string
	grounds        []string
	opacity, least float64
}

// usesOf lists the colours that rules give to text and graphics. An element with the colour
// of its policy, model or part may have any of those.
func usesOf(style string) []colourUse {
	var owners []string // the colours that --c can be
	for _, m := range regexp.MustCompile(`\.p-\w+ \{ --c: var\(--(\w+)\)`).FindAllStringSubmatch(style, -1) {
		owners = append(owners, m[1])
	}
	style = regexp.MustCompile(`@media[^{]*\{`).ReplaceAllString(style, "")
	var out []colourUse
	for _, rule := range regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`).FindAllStringSubmatch(style, -1) {
		name, body := strings.TrimSpace(rule[1]), rule[2]
		grounds := []string{"paper", "card"}
		if m := regexp.MustCompile(`(?:^|[ ;])background: var\(--(\w+)\)`).FindStringSubmatch(body); m != nil {
			grounds = []string{m[1]}
		}
		opacity := 1.0
		if m := regexp.MustCompile(`opacity: (\.\d+)`).FindStringSubmatch(body); m != nil {
			opacity, _ = strconv.ParseFloat(m[1], 64)
		}
		for _, m := range regexp.MustCompile(`(?:^|[ ;])(color|fill|stroke|border(?:-color)?): [^;]*?var\(--(\w+)`).FindAllStringSubmatch(body, -1) {
			least := 3.0
			if m[1] == "color" {
				least = 4.5
			}
			if m[1] != "color" && decoration[m[2]] {
				continue
			}
			colours, on := []string{m[2]}, grounds
			if m[2] == "c" {
				colours = owners
			}
			for _, c := range colours {
				if c == "none" && m[1] == "color" { // a rule without a text colour
					continue
				}
				if len(on) == 1 && on[0] == "c" {
					for _, ground := range owners {
						if ground != "none" { // the policy none is never the best
							out = append(out, colourUse{name, c, []string{ground}, opacity, least})
						}
					}
					continue
				}
				out = append(out, colourUse{name, c, on, opacity, least})
			}
		}
	}
	return out
}

// blend returns the colour of a translucent colour on a background.
func blend(c, on [3]float64, opacity float64) [3]float64 {
	for i := range c {
		c[i] = opacity*c[i] + (1-opacity)*on[i]
	}
	return c
}

// contrast returns the contrast ratio of WCAG.
func contrast(a, b [3]float64) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c [3]float64) float64 {
	sum := 0.0
	for i, part := range [...]float64{0.2126, 0.7152, 0.0722} {
		v := c[i] / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += part * v
	}
	return sum
}

// Every page has the whole stylesheet. A rule for one page must not affect the legend of
// another.
func TestKeysOfLegendsHaveNoBorder(t *testing.T) {
	t.Parallel()
	style := must.Get(assets.ReadFile("assets/style.css"))(t)
	if m := regexp.MustCompile(`(?m)(?:^|[,}] ?)\.legend i\b[^{]*\{[^}]*\}`).Find(style); m != nil {
		t.Errorf("%s is for all legends", m)
	}
}

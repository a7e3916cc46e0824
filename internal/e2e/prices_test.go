//go:build unix

package e2e

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/coctostan/pictx/core/bill"
)

// The dated table says what pi's own list of models does, of the makers of models whose ids
// are in it: a longer id that costs something else must not take the price of a shorter one.
func TestTheTableOfPricesAgreesWithPisOwnList(t *testing.T) {
	t.Parallel()
	_, cli := piCommand(t, newest)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(cli), "chunks", "*.js"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of pi: %v", err)
	}
	makers := []string{"anthropic", "openai", "google", "deepseek", "zai", "moonshotai", "xai"}
	model := regexp.MustCompile(`(?s)id:\s*"([^"]+)".{0,600}?provider:\s*"([^"]+)".{0,700}?cost:\s*\{\s*input:\s*([\d.e-]+)`)
	priced := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range model.FindAllStringSubmatch(string(data), -1) {
			input, err := strconv.ParseFloat(m[3], 64)
			if err != nil || input == 0 || !slices.Contains(makers, m[2]) { // 0 is that of a subscription
				continue
			}
			got := bill.RateOf(m[1], nil)
			if !got.Known() {
				continue
			}
			priced++
			if math.Abs(got.PerMillion-input) > 1e-9 {
				t.Errorf("%s/%s: $%v a million tokens, pi says $%v", m[2], m[1], got.PerMillion, input)
			}
		}
	}
	if priced < 60 {
		t.Errorf("only %d models of pi's list have a price", priced)
	}
}

package workspace

import (
	"fmt"
	"os"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/token"
)

// ReadPrices reads a file of prices.
func ReadPrices(path string) ([]token.Prices, []bill.ModelPrice, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, exit.WithHint(exit.NotFound, "pictx replay --prices FILE", fmt.Errorf("read prices: %w", err))
	}
	return config.ParsePrices(path, content)
}

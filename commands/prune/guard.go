package prune

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// GuardCommand returns the command pictx guard.
func GuardCommand(a *cli.Run) *cobra.Command {
	cmd := cli.Command("guard [SESSION]", "Say what the next prompt costs once the cache is lost", "3 5", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		return runGuard(a, ctx, strings.Join(args, ""))
	})
	cmd.ValidArgsFunction = a.SessionWords
	return a.JSONFlag(cmd)
}

// guardView is what guard prints as JSON.
type guardView struct {
	Session string      `json:"session"`
	Model   string      `json:"model"`
	Prices  string      `json:"prices"` // the day of the table of prices
	Cold    string      `json:"cold,omitempty"`
	Last    string      `json:"last,omitempty"`
	Offers  []offerView `json:"offers"`
}

// offerView is one way to go on as JSON.
type offerView struct {
	Way     prune.Way   `json:"way"`
	Tokens  token.Count `json:"tokens"`
	Dollars *float64    `json:"dollars,omitempty"`
}

func runGuard(a *cli.Run, ctx context.Context, name string) error {
	set, _, err := a.Resolved()
	if err != nil {
		return err
	}
	doc, err := openSession(a, ctx, name)
	if err != nil {
		return err
	}
	defer doc.Close()
	choice := prune.Choice{Planner: policy.NewAuto(workspace.AutoSettings(set.Config)).Folding(0)} // prices need no other setting
	now := a.Env.Now().UnixMilli()
	back, m, err := doc.Comeback(ctx, choice, sessionPrices(a, set.Config), now)
	if err != nil {
		return err
	}
	v := guardView{Model: strings.Trim(m.Provider+"/"+m.ID, "/"), Prices: token.CatalogDate(), Session: doc.ID, Offers: []offerView{}}
	if back != nil {
		v.Cold, v.Last = back.Cold, text.KnownTime(back.Last)
		for _, o := range back.Offers {
			one := offerView{Way: o.Way, Tokens: o.Tokens}
			if m.Prices.Priced {
				one.Dollars = new(m.Prices.Dollars(o.Cost))
			}
			v.Offers = append(v.Offers, one)
		}
	}
	return a.Out.Emit(v, func(w *cli.Out) {
		if back == nil {
			w.Printf("No cache is lost: it is alive, there was none, or the conversation was compacted since.\n")
			return
		}
		w.Printf("%s\n", back.Title(now, &m.Prices))
		for _, o := range back.Offers {
			w.Printf("  %s\n", o.Text(&m.Prices))
		}
		w.Printf("Prices of %s, %s. prune.fold is %s.\n", text.TerminalLine(v.Model), v.Prices, set.Config.Prune.Fold)
	})
}

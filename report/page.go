package report

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

//go:embed assets
var assets embed.FS

// page is a page, and the data of the frame of all pages.
type page struct {
	Title string
	Body  any

	body, script string           // the template of the body and the script, "" for none: assets
	more         template.FuncMap // that the template may call

	CSP    string // the content security policy
	Style  template.CSS
	Script template.JS
}

// write writes the page.
func (p *page) write(w io.Writer) error {
	if err := p.render(w); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (p *page) render(w io.Writer) error {
	style, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return err
	}
	p.Style = template.CSS(style) //nolint:gosec // the package's own
	run := ""
	if p.script != "" {
		code, err := assets.ReadFile("assets/" + p.script)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(code)
		run = " script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
		p.Script = template.JS(code) //nolint:gosec // the package's own
	}
	p.CSP = "default-src 'none'; style-src 'unsafe-inline';" + run + " base-uri 'none'; form-action 'none'"
	t, err := template.New("frame.html").Funcs(functions()).Funcs(p.more).ParseFS(assets, "assets/frame.html", "assets/summaries.svg", "assets/"+p.body)
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(w)
	if err := t.Execute(buf, p); err != nil {
		return err
	}
	return buf.Flush()
}

// functions returns the functions that templates may call.
func functions() template.FuncMap {
	return template.FuncMap{
		"count": text.Count[int], "thousands": text.Thousands[int], "dollars": text.Dollars, "tokens": tokensOf, "change": Change, "trend": trend,
		"share": Share[token.Count], "shareOf": Share[int],
		"shown": shown, "cut": fence.OneLine, "plain": fence.Plain,
		"unpriced": Unpriced, "note": policyNote, "reason": reasonWords,
		"started": startedAt, "when": localMinute, "cost": costOf, "input": inputTokens, "cached": cachedOf, "decimal": decimal,
	}
}

// tokensOf is Tokens for templates, which cannot convert number types.
func tokensOf(n any) string {
	switch n := n.(type) {
	case float64:
		return text.TokensShort(float64(n))
	case int64:
		return text.TokensShort(float64(n))
	case token.Count:
		return text.TokensShort(float64(n))
	}
	return unknown
}

// Parts returns a table of the parts of each policy's bill in the first world: a head
// and one row per policy, in dollars where there are prices. Parts that are 0 everywhere
// are left out.
func Parts(c *replay.Comparison) [][]string {
	parts := slices.DeleteFunc(bill.Parts(), func(part bill.Part) bool {
		return !slices.ContainsFunc(c.Policies, func(p replay.PolicyTotal) bool { return p.First().Parts[part].Cost != 0 })
	})
	head := []string{"policy"}
	for _, part := range parts {
		head = append(head, part.String())
	}
	rows := [][]string{head}
	for i := range c.Policies {
		row := []string{c.Policies[i].Name}
		for _, part := range parts {
			b := c.Policies[i].First()
			row = append(row, Amount(b.Parts[part].Cost, b.Priced()))
		}
		rows = append(rows, row)
	}
	return rows
}

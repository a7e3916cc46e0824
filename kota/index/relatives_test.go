package index_test

import (
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// likelyUses lists the lines of production code that probably use a member.
func likelyUses(t *testing.T, e kota.Engine, symbol, file string) []string {
	t.Helper()
	u := must.Get(e.Usages(t.Context(), kota.UsagesQuery{Symbol: symbol, File: file}))(t)
	var out []string
	for _, x := range u.List {
		if x.Likely {
			for _, l := range x.Lines {
				out = append(out, x.File+":"+string(rune('0'+l)))
			}
		}
	}
	slices.Sort(out)
	return out
}

const stores = `
-- store.ts --
export interface Store {
  load(key: string): string
}
-- base.ts --
export class Base {
  save() {}
}
-- file.ts --
import { Store } from './store'
import { Base } from './base'
export class FileStore extends Base implements Store {
  load(key: string) { return key }
  save() {}
}
-- use.ts --
import { Store } from './store'
import { Base } from './base'
export function run(s: Store) { return s.load('a') }
export const keep = (b: Base) => b.save()
-- direct.ts --
import { FileStore } from './file'
export const all = (f: FileStore) => f.load('b')
-- apart.ts --
import './file'
interface Cargo { load(): void }
export const fill = (c: Cargo) => c.load()
`

func TestCallsThroughAnInterfaceOrABaseAreLikely(t *testing.T) {
	t.Parallel()
	e := newWorld(t, stores).open()
	for symbol, want := range map[string][]string{
		"FileStore.load": {"direct.ts:2", "store.ts:2", "use.ts:3"},
		"FileStore.save": {"base.ts:2", "use.ts:4"},
		"Store.load":     {"direct.ts:2", "file.ts:4", "use.ts:3"},
		"Base.save":      {"file.ts:5", "use.ts:4"},
	} {
		if got := likelyUses(t, e, symbol, ""); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

func TestCallsThroughAnInterfaceOfGoAreLikely(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- go.mod --
module example.com/m
-- store.go --
package m

type Store interface {
	Load(key string) string
	Close()
}
-- run.go --
package m

func Run(s Store) { s.Load("a") }

func All(list ...Store) {
	for _, each := range list {
		each.Load("b")
	}
}
-- file/file.go --
package file

type Client struct{}

func (c *Client) Load(key string) string { return key }
func (c *Client) Close()                 {}
-- part/part.go --
package part

type Part struct{}

func (p *Part) Load(key string) string { return key }
`).open()
	for _, c := range []struct {
		symbol, file string
		want         []string
	}{
		{"Client.Load", "", []string{"run.go:3", "run.go:7", "store.go:4"}},
		{"Store.Load", "", []string{"file/file.go:5", "run.go:3", "run.go:7"}},
		{"Part.Load", "", nil}, // it has no Close
	} {
		if got := likelyUses(t, e, c.symbol, c.file); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.symbol, got, c.want)
		}
	}
}

package scan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

func TestFilesThatCallATestRunnerAreKnown(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		// Global functions, as in jest, mocha and jasmine.
		"describe('a', () => {\n  it('b', async () => {})\n})": true,
		"test(`a ${b}`, function () {})":                       true,
		"describe.each([1, 2])('a %i', (n) => {})":             true,
		"test.each`a | b\n${1} | ${2}\n`('$a', ({ a }) => {})": true,
		"for (const c of cases) {\n  it(c.name, () => {})\n}":  true,
		"xdescribe('off', () => {})":                           true,
		"it.only('a', async function () {})":                   true,
		"QUnit.test('a', (assert) => {})":                      true,
		"Deno.test('a', async () => {})":                       true,
		// Imported runners.
		"import { it as check } from 'vitest'\ncheck('a', () => {})":            true,
		"import test from 'ava'\ntest('a', macro, 1)":                           true,
		"import test from 'ava'\ntest.serial('a', t => t.pass())":               true,
		"const test = require('node:test')\ntest('a', (t) => {})":               true,
		"const { test } = require('uvu')\ntest('a', () => {})":                  true,
		"import { suite } from 'uvu'\nconst A = suite('a')\nA('b', () => {})":   true,
		"import * as t from 'node:test'\nt.describe('a', () => {})":             true,
		"import tap from 'tap'\ntap.test('a', (t) => {})":                       true,
		"import { test } from '@playwright/test'\ntest.describe('a', () => {})": true,
		// Functions derived from a runner's.
		"import { test } from './fixtures'\ntest('a', async ({ page }) => {})":                                                       true,
		"const it = base.extend({})\nit('a', async () => {})":                                                                        true,
		"import { RuleTester } from 'eslint'\nnew RuleTester().run('a', rule, {})\nconst r = new RuleTester()\nr.run('a', rule, {})": true,
		// Lookalikes.
		"const re = /a/\nre.test('a', () => {})":                                                 false,
		"export function test(name, fn) { return fn(name) }":                                     false,
		"import { test } from './matcher'\nif (test(path, query)) go()":                          false,
		"import { describe } from './words'\nconst s = describe(thing)":                          false,
		"export const run = (it) => {\n  it('a', () => {})\n}":                                   false,
		"export function suite({ describe, it }) {\n  describe('a', () => {})\n}":                false,
		"exports.check = function (t) {\n  const test = t.test\n  test('a', () => {})\n}":        false,
		"export const test = base.extend({ page: async ({}, use) => {} })":                       false,
		"import { test } from '@playwright/test'\nawait test.step('a', async () => {})":          false,
		"import { vi, beforeEach } from 'vitest'\nbeforeEach(() => {})":                          false,
		"context.on('open', () => {})":                                                           false,
		"// describe('a', () => {})\nconst s = \"it('a', () => {})\"":                            false,
		"if (import.meta.vitest) {\n  const { it } = import.meta.vitest\n  it('a', () => {})\n}": false,
	} {
		facts := file("a.ts", src)
		must.Equal(t, ts.NewRoles(lang.Tree{}).Role("a.ts", &facts) == lang.Test, want, "%s\nruns tests", src)
	}
}

// A rename that misses the closing tags leaves code that does not compile.
func TestClosingTagsUseTheirComponent(t *testing.T) {
	t.Parallel()
	f := file("a.tsx", "import { Route, Ctx } from 'x'\nconst e = <Route>\n  <Ctx.Provider>\n    text\n  </Ctx.Provider>\n  <div>\n  </div>\n</Route>\n")
	got := map[string][]int{}
	for _, u := range f.Uses {
		got[u.Name] = u.Lines
	}
	want := map[string][]int{"Route": {2, 8}, "Ctx": {3, 5}, "Ctx.Provider": {3, 5}, "e": {2}}
	if diff := cmp.Diff(want, got); diff != "" || f.Partial {
		t.Errorf("partial %v, uses (-want +got):\n%s", f.Partial, diff)
	}
}

package role_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/role"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// roles returns the roles of the files of a tree in txtar format.
func roles(tree string) map[string]lang.Role {
	content := map[string][]byte{}
	t := lang.Tree{Read: func(f string) ([]byte, bool) { b, ok := content[f]; return b, ok }}
	for _, f := range txtar.Parse([]byte(tree)).Files {
		content[f.Name] = f.Data
		t.Files = append(t.Files, f.Name)
	}
	out := map[string]lang.Role{}
	known, scanner := role.New(t), new(scan.Scanner)
	for _, f := range t.Files {
		facts := scanner.File(f, content[f])
		out[f] = known.Role(f, &facts)
	}
	return out
}

// fileOf returns the content of a file of a tree in txtar format.
func fileOf(tree, name string) []byte {
	for _, f := range txtar.Parse([]byte(tree)).Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// The usual layouts of each runner: tests, test support, and production code that looks like
// either by its path.
//
// Holds kota 42.
func TestTestsAreToldFromTheirSupportInTheLayoutOfEveryRunner(t *testing.T) {
	t.Parallel()
	for layout, tree := range map[string]string{
		"vitest": `
-- vitest.config.ts --
export default defineConfig({ test: { include: ['checks/**/*.ts'], coverage: { include: ['src/**'] } } })
-- src/a.vitest.ts --
// a test
import { it } from 'vitest'
it('a', () => {})
-- src/vitest.config.spec.ts --
// a test
import { it } from 'vitest'
it('reads vitest.config.ts', () => {})
-- src/types.test-d.ts --
// a test
import { expectTypeOf } from 'vitest'
expectTypeOf(1).toBeNumber()
-- src/test/setup.ts --
// support
import { afterEach } from 'vitest'
afterEach(() => {})
-- src/main.ts --
import './a'
`,
		"jest": `
-- package.json --
{ "jest": { "testMatch": ["<rootDir>/checks/*.js"] } }
-- checks/smoke.js --
// a test
require('../main')
-- __tests__/a.js --
// a test
describe('a', () => { it('b', () => {}) })
-- __tests__/helpers.js --
// support
export const make = () => 1
-- __mocks__/fs.js --
// support
module.exports = {}
-- openapi.spec.ts --
// support
export const spec = {}
`,
		"mocha": `
-- .mocharc.yml --
spec:
  - test/*.js
-- test/a.js --
// a test
describe('a', function () { it('b', function () {}) })
-- test/common.js --
// support
exports.tests = function (db) { describe('a', () => { it('b', () => {}) }) }
-- test/cases.mjs --
// support
function cases(db) { describe('a', () => { it('b', () => {}) }) }
export const more = async (db: Db): Promise<void> => { it('c', () => {}) }
export default function () { it('d', () => {}) }
export { cases }
-- test/loop.js --
// a test
function each(type) { it(type, () => {}) }
each('a')
-- test/support/env.js --
// support
process.env.NODE_ENV = 'test'
`,
		"ava": `
-- test/a.js --
// a test
import test from 'ava'
test('a', t => t.pass())
-- test/skipped.js --
// a test
import test from '../runner.js'
test.skip('a', t => t.pass())
-- test/_helpers.js --
// support
export const a = 1
-- test/fixtures/ava.config.js --
export default { files: ['**/*'] }
-- test/fixtures/no-tests.js --
// support
import '../../index.js'
-- test/fixtures/one.js --
// a test
import test from 'ava'
test('a', t => t.pass())
`,
		"playwright": `
-- playwright.config.ts --
export default { testDir: './integration', testMatch: '**/*.flow.ts' }
-- integration/link-test.ts --
// a test
import { test } from './fixtures'
test('a', async ({ page }) => {})
-- tests/fixtures.ts --
// support
import { test as base } from '@playwright/test'
export const test = base.extend({})
-- src/mcp/tools.ts --
export const test = 1
-- src/mcp/test/browserBackend.ts --
// support
export class Backend {}
`,
		"node:test": `
-- test/a.js --
// a test
const { test } = require('node:test')
test('a', () => {})
-- lib/a_test.mjs --
// a test
import { describe } from 'node:test'
describe('a', () => {})
`,
		"uvu": `
-- tests/a.js --
// a test
import { suite } from 'uvu'
const A = suite('a')
A('b', () => {})
A.run()
`,
		"cypress": `
-- cypress/e2e/a.cy.js --
// a test
describe('a', () => { it('b', () => { cy.visit('/') }) })
-- cypress/support/commands.js --
// support
Cypress.Commands.add('login', () => {})
`,
	} {
		for f, got := range roles(tree) {
			want := lang.Production
			switch content := string(fileOf(tree, f)); {
			case strings.HasPrefix(content, "// a test\n"):
				want = lang.Test
			case strings.HasPrefix(content, "// support\n"):
				want = lang.Support
			}
			if got != want {
				t.Errorf("%s: %s has role %d, want %d", layout, f, got, want)
			}
		}
	}
}

func TestTheSubjectOfATestIsItsNameWithoutWhatMarksIt(t *testing.T) {
	for name, want := range map[string]string{
		"src/url.test.ts": "url", "a/url.parse.spec.js": "url.parse", "core.scale.tests.js": "core.scale", "url-test.mjs": "url", "url_spec.js": "url",
		"urlSpec.js": "url", "UrlTest.tsx": "Url", "test/test-url.js": "url", "url.js": "url", "test.js": "test", "latest.js": "latest", "a.test-d.ts": "a", "a.e2e-spec.ts": "a",
	} {
		if got := role.Subject(name); got != want {
			t.Errorf("%s is about %q, want %q", name, got, want)
		}
	}
}

// Any configuration is read with bounded work and without failing.
func FuzzRunnerConfig(f *testing.F) {
	f.Add("vitest.config.ts", "export default { test: { include: ['a/**', `b/{c,d}`] } }")
	f.Add("package.json", `{ "jest": { "testMatch": ["{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}b"] } }`)
	f.Add(".mocharc.yml", "spec: test/*.js\n")
	f.Add("playwright.config.ts", "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{ testDir: '")
	f.Fuzz(func(t *testing.T, name, config string) {
		r := role.New(lang.Tree{Files: []string{name}, Read: func(string) ([]byte, bool) { return []byte(config), true }})
		if got := r.Role("src/a.ts", &lang.Facts{Exports: []lang.Export{{Name: "a", Local: "a", From: -1}}}); got != lang.Production {
			t.Errorf("a file with exports has role %d", got)
		}
	})
}

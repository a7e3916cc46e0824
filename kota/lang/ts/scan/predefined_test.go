package scan_test

import "testing"

func TestAPredefinedTypeIsNoUseOfAFunctionCalledSo(t *testing.T) {
	for src, want := range map[string]string{
		"const a: string = b\nlet c: string\nstring()":                                   "[4]",
		"function f(a: string, b?: string): string {}":                                   "",
		"const f = (a: string): string => b":                                             "",
		"a as string\nb as unknown as string[]":                                          "",
		"interface A { a: string; b?: string }":                                          "",
		"type A<T extends string> = B<string>":                                           "",
		"let a: B<string, c>\nfunction d(e): e is string {}\nlet f = g satisfies string": "",
		"f({ a: string, b: string })\ng(string)\nh(a ? b : string)":                      "[2 3 4]",
		"const a = { b: string }\nconst c = [string]\nconst d = string":                  "[2 3 4]",
		"a < string\nconst b = c ? (d) : string\nf(string, <g>string)":                   "[2 3 4]",
		"const { string: a } = b\nstring.c\nconst d = e ? f : string()":                  "[3 4]",
	} {
		if got := linesOf(file("a.ts", "import { string } from 'x'\n"+src), "string"); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
}

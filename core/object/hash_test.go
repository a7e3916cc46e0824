package object_test

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/object"
)

func file(path, content string) *object.Document {
	return &object.Document{Kind: object.KindFile, Content: []byte(content), File: &object.File{Path: path, FileType: "txt", Chars: utf8.RuneCountInString(content)}}
}

func toolcall(tool, display string) *object.Document {
	return &object.Document{Kind: object.KindToolcall, Toolcall: &object.Toolcall{Tool: tool, ArgsDisplay: display, Status: object.StatusOK}}
}

// Holds objects 4.
func TestDifferentDocumentsNeverHashEqual(t *testing.T) {
	reads := func(files ...string) *object.Document {
		d := toolcall("bash", "x")
		d.Toolcall.Files = files
		return d
	}
	docs := []*object.Document{
		file("/a|txt", ""), file("/a", ""), file("/a\n", ""), file("/a\x00", ""), file("", ""), file("/a", "|"), file("/a", "\x00"),
		reads("a", "b"), reads("a|b"), reads("ab"), reads("a", "", "b"), reads("", "a", "b"),
		toolcall("bash", "x"), toolcall("bash|x", ""), toolcall("bash", ""), toolcall("", "bash"),
		{Kind: object.KindChat, Chat: &object.Chat{Leaf: "a", Turns: 1}},
		{Kind: object.KindChat, Chat: &object.Chat{Leaf: "a", Turns: 2}},
		{Kind: object.KindChat, Chat: &object.Chat{Leaf: "b", Turns: 1}},
		{Kind: object.KindChat, Chat: &object.Chat{Session: "a", Turns: 1}},
		{Kind: object.KindSession, Session: &object.Session{Harness: "pi", SessionID: "s"}},
		{Kind: object.KindSystemPrompt, SystemPrompt: &object.SystemPrompt{Session: "s"}},
		{Kind: object.KindFile, Deleted: true},
		{Kind: object.KindFile, Deleted: true, File: &object.File{}},
	}
	seen := make(map[object.Hash]int)
	for i, d := range docs {
		h := object.HashesOf("o-1", d)
		if j, ok := seen[h.Object]; ok {
			t.Errorf("documents %d and %d have the same hash: %+v, %+v", i, j, d, docs[j])
		}
		seen[h.Object] = i
		if again := object.HashesOf("o-1", d); again != h {
			t.Errorf("document %d has another hash when it is hashed again", i)
		}
		if other := object.HashesOf("o-2", d); other.Object == h.Object || other.Meta == h.Meta || other.Content != h.Content {
			t.Errorf("document %d of another object: %+v", i, other)
		}
	}
}

// The hashes are written down: other code, another machine and a later version must
// come to the same.
//
// Holds objects 6.
func TestHashesAreTheSameEverywhere(t *testing.T) {
	for name, c := range map[string]struct {
		doc  *object.Document
		want string
	}{
		"file":     {file("/w/a.txt", "text"), "3af09e28 16e71131 702d6352"},
		"null":     {&object.Document{Kind: object.KindFile, File: &object.File{Path: "/w/a.txt"}}, "b9643006 1d70f413 c7f14782"},
		"toolcall": {toolcall("bash", "ls"), "b9643006 dfa94ed0 d5a4de01"},
	} {
		if h := object.HashesOf("o-000000000000", c.doc); fmt.Sprintf("%.8s %.8s %.8s", h.Content, h.Meta, h.Object) != c.want {
			t.Errorf("%s: %.8s %.8s %.8s, want %s", name, h.Content, h.Meta, h.Object, c.want)
		}
	}
}

// A document survives encoding, even with invalid UTF-8, and keeps its hash.
func TestDocumentsSurviveEncoding(t *testing.T) {
	for _, d := range []*object.Document{
		file("/caf\xe9", "x"), file("/<&>\u2028", "x"), toolcall("t", "a\xff"), {Kind: object.KindChat, Chat: &object.Chat{Session: "o-1", Leaf: "\xff", Turns: 3}},
	} {
		data, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := object.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		back.Content = d.Content
		if object.HashesOf("o-1", back) != object.HashesOf("o-1", d) {
			t.Errorf("%s came back as %+v", data, back)
		}
	}
}

func TestKeysSurviveEncodingAndStayDistinct(t *testing.T) {
	keys := []object.Key{
		object.FileKey("", "/a b:c 3:x"), object.FileKey("0", ":/a"), object.FileKey("/a", ""), object.ToolcallKey("s", "e", "c"),
		object.ToolcallKey("s e", "", "c"), object.ChatKey("s"), object.SessionKey("s"), object.SystemPromptKey("s"),
	}
	seen := make(map[string]bool)
	for _, k := range keys {
		back, ok := object.ParseKey(k.String())
		if !ok || back.String() != k.String() || seen[k.String()] {
			t.Errorf("%s came back as %s, %v", k, back, ok)
		}
		seen[k.String()] = true
	}
	for _, bad := range []string{"", "file", "file 1:ab", "file 0:  0:", "file 1:a 01:b", "what 1:a", "chat 1:a 1:b", "file -1:a"} {
		if k, ok := object.ParseKey(bad); ok {
			t.Errorf("%q is taken for %+v", bad, k)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add("file 0: 2:/a")
	f.Add("toolcall 1:s 1:e 1:c")
	f.Fuzz(func(t *testing.T, text string) {
		if k, ok := object.ParseKey(text); ok && k.String() != text {
			t.Errorf("%q came back as %q", text, k)
		}
	})
}

package commands_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// objectsSession is the session of the objects that putObjects writes: that of
// shop-main.jsonl.
const objectsSession = "01a1fe4b-1b39-7525-b782-4cc088284b4c"

// putObjects STORE: writes objects, at fixed times, as capturing does in pi: a file
// with three versions, one that is deleted, a binary, a chat, a system prompt, a session
// and two calls.
func putObjects(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1, "putobjects STORE")
	path := strings.TrimSpace(ts.ReadFile(args[0]))
	now := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	st, err := store.Open(context.Background(), path, sqlite.Write, func() time.Time { return now })
	ts.Check(err)
	put := func(session string, ops ...object.Op) {
		_, err := st.Objects.Submit(context.Background(), object.Tx{Actor: object.ActorCapture, Session: session, Ops: ops})
		ts.Check(err)
		now = now.Add(time.Hour)
	}
	file := func(path, content string) object.Op {
		return object.Op{Do: object.Put, Key: object.FileKey("", path), Doc: textFile(path, content)}
	}
	met := func(k object.Key) object.Op { return object.Op{Do: object.Record, Key: k, Event: object.Discovered} }
	call := func(entry, tool, args, out string, status object.Status) object.Op {
		return object.Op{Do: object.Put, Key: object.ToolcallKey(objectsSession, entry, "call_0"), Doc: &object.Document{
			Kind: object.KindToolcall, Content: []byte(out),
			Toolcall: &object.Toolcall{Tool: tool, ArgsDisplay: args, Status: status},
		}}
	}
	src := object.FileKey("", "/w/src/retry.go")
	put(objectsSession, file("/w/src/retry.go", "package src\n\nconst retries = 3\n"), met(src))
	put(objectsSession, file("/w/src/retry.go", "package src\n\nconst retries = 5\n"))
	put("", file("/w/src/retry.go", "package src\n\nconst retries = 5\nconst pause = 2\n"))
	put(objectsSession, file("/w/old.txt", "gone soon"), met(object.FileKey("", "/w/old.txt")))
	put("", object.Op{Do: object.Delete, Key: object.FileKey("", "/w/old.txt")})
	put(objectsSession, file("/w/logo.png", "\x89PNG\x00\x00"), met(object.FileKey("", "/w/logo.png")))
	put("", file("/w/latin.txt", "caf\xe9 au lait"))
	put(objectsSession, call("e7da02bd", "bash", "make test", "FAIL: rounding error in totals", object.StatusFail), call("11112222", "bash", "ls", "src old.txt", object.StatusOK))
	chat := object.ChatKey(objectsSession)
	put(objectsSession, object.Op{Do: object.Put, Key: chat, Doc: &object.Document{
		Kind: object.KindChat, Content: []byte("--- user\nhello"),
		Chat: &object.Chat{Session: object.NewID(object.SessionKey(objectsSession), 0), Leaf: "e7da02bd", Turns: 1},
	}})
	put(objectsSession, object.Op{Do: object.Put, Key: object.SystemPromptKey(objectsSession), Doc: &object.Document{
		Kind: object.KindSystemPrompt, Content: []byte("You are."), SystemPrompt: &object.SystemPrompt{Session: object.NewID(object.SessionKey(objectsSession), 0)},
	}})
	ts.Check(st.Close())
}

// putFile STORE FILE [FIRST LAST]: makes an object of a file, as it is, or of these lines
// of it, as a read of a part does.
func putFile(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2 || len(args) == 4, "putfile STORE FILE [FIRST LAST]")
	st, err := store.Open(context.Background(), strings.TrimSpace(ts.ReadFile(args[0])), sqlite.Write, time.Now)
	ts.Check(err)
	path, err := filepath.EvalSymlinks(ts.MkAbs(args[1]))
	ts.Check(err)
	content, err := os.ReadFile(path)
	ts.Check(err)
	info, err := os.Stat(path)
	ts.Check(err)
	op := object.Op{Do: object.Put, Key: object.FileKey("", path), Stat: &object.Stat{Size: info.Size(), ModTime: info.ModTime().UnixNano()}}
	if len(args) == 4 {
		var l object.Lines
		_, err := fmt.Sscan(args[2]+" "+args[3], &l.First, &l.Last)
		ts.Check(err)
		op.Stat, content = nil, []byte(strings.Join(strings.Split(string(content), "\n")[l.First-1:l.Last], "\n"))
		op.Doc = textFile(path, string(content))
		op.Doc.File.Lines = &l
	} else {
		op.Doc = textFile(path, string(content))
	}
	_, err = st.Objects.Submit(context.Background(), object.Tx{Ops: []object.Op{op}})
	ts.Check(errors.Join(err, st.Close()))
}

// textFile is what is said of a file; without content for one that is not text.
func textFile(path, content string) *object.Document {
	d := storetest.FileDoc(path, content)
	if strings.Contains(content, "\x00") {
		d.Content, d.File.Chars = nil, 0
	}
	return d
}

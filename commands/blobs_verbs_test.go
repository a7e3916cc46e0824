package commands_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/coctostan/pictx/core/blob"
)

// keepblob VAR FILE [AGE [SESSION]]: keeps the text of a file as a blob that was
// last used AGE ago, named by SESSION, and sets a variable to its id.
func keepBlob(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) >= 2 && len(args) <= 4, "keepblob VAR FILE [AGE [SESSION]]")
	var age time.Duration
	session := ""
	if len(args) > 2 {
		var err error
		age, err = time.ParseDuration(args[2])
		ts.Check(err)
	}
	if len(args) > 3 {
		session = ts.MkAbs(args[3])
	}
	st := blob.At(blobDir(ts), func() time.Time { return time.Now().Add(-age) })
	i, err := st.Put(context.Background(), []byte(ts.ReadFile(args[1])), session)
	ts.Check(err)
	ts.Setenv(args[0], i.ID)
}

func blobDir(ts *testscript.TestScript) string {
	return filepath.Join(ts.Getenv("AGENT"), "pictx", "blobs")
}

// nameblob ID FILE: writes a session with a result that names a blob, after 3 MB of
// others.
func nameBlob(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "nameblob ID FILE")
	const line = `{"type":"message","id":"aa000001","parentId":null,"timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"one"}}` + "\n"
	text := `{"type":"session","version":3,"id":"s-fork","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/dev/shop"}` + "\n" + strings.Repeat(line, 3_000_000/len(line)) +
		`{"type":"message","id":"aa000002","parentId":"aa000001","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"kota_search","content":[{"type":"text","text":"cut"}],"details":{"truncated":true,"blobId":"` + args[0] + `"}}}` + "\n"
	path := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	ts.Check(os.WriteFile(path, []byte(text), 0o600))
}

// breakblob ID: changes the bytes of a blob.
func breakBlob(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1, "breakblob ID")
	found, err := filepath.Glob(filepath.Join(blobDir(ts), args[0][:2], args[0]+"*"))
	ts.Check(err)
	for _, f := range found {
		ts.Check(os.WriteFile(f, []byte("something else"), 0o600))
	}
}

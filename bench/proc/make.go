//go:build unix

package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3" // the driver of the plain database

	"github.com/coctostan/pictx/internal/corpus"
)

// writeSession writes a session file of so many messages. Its name is the seed.
func writeSession(path, id string, messages, size int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	seed := fnv.New32a()
	seed.Write([]byte(id))
	if err := corpus.Write(f, corpus.Session{ID: "bench-" + id, CWD: "/home/dev/shop", Messages: messages, Size: size, Seed: int64(seed.Sum32())}); err != nil {
		return err
	}
	return f.Close()
}

// writeEvent writes a context event of about size bytes, of the messages of a
// session.
func writeEvent(path string, size int) error {
	r, w := io.Pipe()
	go func() {
		err := corpus.Write(w, corpus.Session{ID: "bench-event", CWD: "/home/dev/shop", Messages: size/1400 + 1, Size: 1200, Seed: 7})
		w.CloseWithError(err)
	}()
	defer r.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	out.WriteString(`{"type":"context","messages":[`)
	lines, n := bufio.NewScanner(r), 0
	for lines.Scan() {
		_, message, ok := bytes.Cut(lines.Bytes(), []byte(`"message":`))
		if !ok {
			continue // the first line, which is the session's
		}
		if n++; n > 1 {
			out.WriteByte(',')
		}
		out.Write(bytes.TrimSuffix(message, []byte("}")))
	}
	out.WriteString("]}\n")
	return errors.Join(lines.Err(), out.Flush())
}

// plainInserts stores the lines of a file as a program would that has nothing to
// do but store them: one table, one statement, one transaction.
func plainInserts(path string) error {
	dir, err := os.MkdirTemp("", "pictx-plain-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite3", filepath.Join(dir, "plain.db")+"?_journal_mode=WAL&_synchronous=NORMAL")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE line (id INTEGER PRIMARY KEY, body BLOB)"); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.Prepare("INSERT INTO line (body) VALUES (?)")
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if _, err := insert.Exec(lines.Bytes()); err != nil {
			return fmt.Errorf("insert: %w", err)
		}
	}
	return errors.Join(lines.Err(), tx.Commit())
}

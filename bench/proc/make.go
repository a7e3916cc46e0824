//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"hash/fnv"
	"io"
	"os"

	"github.com/coctostan/pictx/internal/corpus"
)

// writeSession writes a session file with random messages. The id is the seed.
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

// writeEvent writes a context event of about size bytes with the messages of a session.
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
			continue // the first line is the session header
		}
		if n++; n > 1 {
			out.WriteByte(',')
		}
		out.Write(bytes.TrimSuffix(message, []byte("}")))
	}
	out.WriteString("]}\n")
	return errors.Join(lines.Err(), out.Flush())
}

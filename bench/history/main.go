//go:build unix

// Command history measures storing and searching. It generates sessions that contain
// needles, imports them with pictx as a process, and searches for them. It prints each
// figure with its context; no result is pass or fail.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/scratch"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// bench is a run.
type bench struct {
	dir    string // contains the sessions and the agent's directory
	pictx  string
	corpus corpus.History
	rounds int
	only   string // run only shapes whose name contains this

	data     string // directory of the questions
	sessions string // directory of further sessions to ask about
	verbose  bool   // list unanswered questions

	store   string        // path of the database
	used    time.Duration // CPU time of the last process
	needles []corpus.Needle
	text    int64 // bytes of text in all messages
}

func main() {
	b := &bench{}
	flag.StringVar(&b.pictx, "pictx", "bin/pictx", "the `program` to measure")
	flag.IntVar(&b.corpus.Messages, "n", 100_000, "the number of `messages`; a million take about 3 GB while it runs")
	flag.IntVar(&b.corpus.Size, "size", 1000, "`bytes` of text in each")
	flag.IntVar(&b.corpus.Needles, "needles", 20, "`needles` of each kind")
	flag.IntVar(&b.rounds, "rounds", 40, "queries of each shape")
	queries := flag.Bool("queries", false, "leave out the comparison of every message with its line")
	shapes := flag.Bool("shapes", false, "measure nothing but queries that are not made to find one message")
	flag.StringVar(&b.only, "only", "", "measure only the shapes whose names contain this `text`")
	flag.StringVar(&b.data, "data", "testdata/recall", "the `directory` of the questions")
	flag.StringVar(&b.sessions, "sessions", os.Getenv("PICTX_SESSIONS"), "ask the questions about these sessions too, a `directory` of session files")
	flag.BoolVar(&b.verbose, "v", false, "name the questions that are not answered in the first five results")
	asked := flag.Bool("questions", false, "ask questions about recorded sessions, and measure nothing else")
	dir := flag.String("dir", "", "keep the sessions and the store in this `directory`, and use what is there")
	flag.Parse()
	if _, err := selectShapes("", b.only); err != nil {
		exit(err)
	}
	if err := b.ask(context.Background()); err != nil || *asked {
		exit(err)
		return
	}
	if err := b.run(*dir, *queries, *shapes); err != nil {
		exit(err)
	}
}

// exit ends the program if there is an error.
func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func (b *bench) run(dir string, queries, shapes bool) error {
	var err error
	if b.pictx, err = filepath.Abs(b.pictx); err != nil {
		return err
	}
	if dir == "" {
		var remove func()
		if dir, remove, err = scratch.Dir("pictx-history-"); err != nil {
			return err
		}
		defer remove()
	}
	b.dir = dir
	b.corpus.CWD = filepath.Join(dir, "shop")
	if err := b.generate(shapes); err != nil {
		return err
	}
	if err := b.imports(); err != nil {
		return err
	}
	ctx := context.Background()
	st, err := store.Open(ctx, b.store, sqlite.Read, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	parts := []func(context.Context, *store.Store) error{b.lossless, b.find, b.shapes}
	if queries {
		parts = parts[1:]
	}
	if shapes {
		return b.shapes(ctx, st)
	}
	for _, part := range parts {
		if err := part(ctx, st); err != nil {
			return err
		}
	}
	if err := b.cold(); err != nil {
		return err
	}
	return b.turns(ctx)
}

// generate writes the sessions unless they exist. The needles follow from the seed either
// way. With unneeded set, an existing store suffices.
func (b *bench) generate(unneeded bool) error {
	h := b.corpus
	if _, err := os.Stat(filepath.Join(b.dir, "agent")); err == nil && unneeded {
		return nil
	}
	h.Sessions, h.Twins, h.Seed = max(4, h.Messages/2000), 50, 1
	b.corpus = h
	sessions := filepath.Join(b.dir, "sessions")
	start := time.Now()
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(h.CWD, 0o700); err != nil {
		return err
	}
	var err error
	if b.needles, err = h.WriteFiles(sessions); err != nil {
		return err
	}
	b.text = int64(h.Messages) * int64(h.Size)
	fmt.Printf("corpus: %d messages of about %d bytes in %d sessions, %d needles of %d kinds, %d twins (%.1f s)\n",
		h.Messages, h.Size, h.Sessions, len(b.needles), len(corpus.Kinds()), h.Twins, time.Since(start).Seconds())
	return nil
}

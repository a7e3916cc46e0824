package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/history"
)

// mostSpellings is how many words the beginning of one is taken for. FTS5 reads
// every place of every word that begins so before it gives the first result: many
// words are left to it, a few are asked for by name, which costs nothing.
const mostSpellings = 64

// spell renders an expression with the words of the index in place of beginnings
// of words. It is empty when the index has no word for one that must be there.
func (s *Store) spell(ctx context.Context, x history.Expr) (Clauses, error) {
	out := Clauses{any: x.Any}
	plain := Spell(x)
	if !x.Any {
		if all, err := s.begun(ctx, x); err != nil || !all {
			return Clauses{}, err
		}
	}
	for i, p := range x.Phrases {
		if !p.Prefix {
			out.list = append(out.list, plain.list[i])
			continue
		}
		last := len(p.Words) - 1
		words, err := s.wordsFrom(ctx, p.Words[last], mostSpellings+1)
		switch {
		case err != nil:
			return out, err
		case len(words) > mostSpellings:
			out.list = append(out.list, plain.list[i])
			continue
		case len(words) == 0:
			// Nothing has it; the others go on, and keep their numbers.
			out.list = append(out.list, plain.list[i])
			continue
		}
		var alternatives []string
		for _, w := range words {
			alternatives = append(alternatives, quotedWords(append(p.Words[:last:last], w)))
		}
		out.list = append(out.list, clause("("+strings.Join(alternatives, " OR ")+")"))
	}
	return out, nil
}

// vocabulary lists the words of the index, an instance a row, in order: the first
// instance of the next word is found in one step, and nothing is counted.
const vocabulary = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words_fts', 'instance')`

// begun tells whether the index has a word for every beginning of one. That is soon
// known, and listing the words that begin so is not.
func (s *Store) begun(ctx context.Context, x history.Expr) (bool, error) {
	for _, p := range x.Phrases {
		if !p.Prefix {
			continue
		}
		words, err := s.wordsFrom(ctx, p.Words[len(p.Words)-1], 1)
		if err != nil || len(words) == 0 {
			return false, err
		}
	}
	return true, nil
}

// wordsFrom returns the words that begin with a prefix, in order, at most so
// many.
func (s *Store) wordsFrom(ctx context.Context, prefix string, most int) ([]string, error) {
	if _, err := s.db.ExecContext(ctx, vocabulary); err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", explain(err))
	}
	next, err := s.db.PreparexContext(ctx, `SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT 1`)
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", explain(err))
	}
	defer next.Close()
	var out []string
	from := prefix
	for len(out) < most {
		var word string
		err := next.GetContext(ctx, &word, from, prefix+"\U0010ffff")
		if none(err) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read vocabulary: %w", explain(err))
		}
		out = append(out, word)
		from = word + "\x01" // the next: no word has this character
	}
	return out, nil
}

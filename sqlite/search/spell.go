package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// mostSpellings is how many words the beginning of one is taken for. FTS5 reads
// every place of every word that begins so before it gives the first result: many
// words are left to it, a few are asked for by name, which costs nothing.
const mostSpellings = 64

// fewSpellings is the same for one of several words of which any will do.
const fewSpellings = 8

// spell renders an expression with the words of the index in place of beginnings
// of words. It is empty when the index has no word for one that must be there.
func (s *Store) spell(ctx context.Context, x history.Expr) (ftsQuery, error) {
	out := ftsQuery{any: x.Any}
	plain := literal(x)
	if !x.Any {
		if all, err := s.begun(ctx, x); err != nil || !all {
			return ftsQuery{}, err
		}
	}
	for i, p := range x.Phrases {
		if !p.Prefix {
			out.list = append(out.list, plain.list[i])
			continue
		}
		last := len(p.Words) - 1
		words, all, err := s.spellings(ctx, p.Words[last], x.Any)
		if err != nil {
			return out, err
		}
		if len(words) == 0 || !all && !x.Any {
			// Nothing has it, and the others go on and keep their numbers; or too
			// much has it.
			out.list = append(out.list, plain.list[i])
			continue
		}
		var alternatives []string
		for _, w := range words {
			alternatives = append(alternatives, Quoted(append(p.Words[:last:last], w)))
		}
		out.list = append(out.list, clause("("+strings.Join(alternatives, " OR ")+")"))
	}
	return out, nil
}

// spellings returns the words that a beginning of one is taken for, and whether that
// are all there are. One of several words of which any will do is taken for few: what
// begins many words says little, and each of them is looked for once with every other
// word. They are its own forms, and the shortest others; of a common word its forms.
func (s *Store) spellings(ctx context.Context, prefix string, few bool) (words []string, all bool, err error) {
	most := mostSpellings
	if few {
		most = fewSpellings
		// Finding the word after a common one is reading all of its places.
		if common, err := s.isCommon(ctx, prefix); common || err != nil {
			return text.Forms(prefix), false, err
		}
	}
	words, err = s.wordsFrom(ctx, prefix, most+1)
	if err != nil || len(words) <= most || !few {
		return words, len(words) <= most, err
	}
	var own []string
	for _, form := range text.Forms(prefix) {
		has, err := s.wordsFrom(ctx, form, 1)
		if err != nil {
			return nil, false, err
		}
		if len(has) > 0 && has[0] == form {
			own = append(own, form)
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	for _, w := range words {
		if len(own) < most && !slices.Contains(own, w) {
			own = append(own, w)
		}
	}
	return own, false, nil
}

// isCommon reports whether more texts hold a word than a ranking weighs.
func (s *Store) isCommon(ctx context.Context, word string) (bool, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM (SELECT 1 FROM words_fts WHERE words_fts MATCH ? LIMIT ?)`,
		`{text} : `+Quoted([]string{word}), mostWeighed)
	if err != nil {
		return false, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	return n == mostWeighed, nil
}

// vocabulary lists the words of the index, an instance a row, in order: the first
// instance of the next word is found in one step, and nothing is counted.
const vocabulary = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words_fts', 'instance')`

// begun reports whether the index has a word for every beginning of one. That is soon
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
	next, err := s.nextWord(ctx)
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	var out []string
	from := prefix
	for len(out) < most {
		var word string
		err := next.GetContext(ctx, &word, from, prefix+"\U0010ffff")
		if sqlite.NoRows(err) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
		}
		out = append(out, word)
		from = word + "\x01" // the next: no word has this character
	}
	return out, nil
}

// nextWord is the statement that finds the next word of the vocabulary. It is prepared
// once: a question asks for hundreds of words.
func (s *Store) nextWord(ctx context.Context) (*sqlx.Stmt, error) {
	s.words.Lock()
	defer s.words.Unlock()
	if s.words.next == nil {
		if _, err := s.db.ExecContext(ctx, vocabulary); err != nil {
			return nil, err
		}
		next, err := s.db.PreparexContext(ctx, `SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT 1`)
		if err != nil {
			return nil, err
		}
		s.words.next = next
	}
	return s.words.next, nil
}

// wordList is what is kept to read the vocabulary.
type wordList struct {
	sync.Mutex
	next *sqlx.Stmt
}

// WordsLeft counts those of some words that the index still lists although no text has
// them.
func (s *Store) WordsLeft(ctx context.Context, words map[string]bool) (int, error) {
	if _, err := s.db.ExecContext(ctx, vocabulary); err != nil {
		return 0, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
	}
	left := 0
	for w := range words {
		var has, used bool
		err := s.db.GetContext(ctx, &has, `SELECT EXISTS (SELECT 1 FROM temp.vocabulary WHERE term = ? LIMIT 1)`, w)
		if err == nil && has {
			err = s.db.GetContext(ctx, &used, `SELECT EXISTS (SELECT 1 FROM words_fts WHERE words_fts MATCH ? LIMIT 1)`, `"`+w+`"`)
		}
		if err != nil {
			return 0, fmt.Errorf("read vocabulary: %w", sqlite.Explain(err))
		}
		if has && !used {
			left++
		}
	}
	return left, nil
}

package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/trigram"
	"github.com/coctostan/pictx/sqlite"
)

// errBudget ends reading all texts after a number of them. The scan's range then covers the
// rest.
var errBudget = errors.New("some texts were read")

// errEnough ends a scan whose consumer has enough.
var errEnough = errors.New("enough")

// Scan inspects every text that a filter admits and a probe selects with look, and passes
// the results to take, newest first, until take returns false. The indexes of parts select
// the texts if they can; texts that are not in these indexes are read.
func (s *Store) Scan(ctx context.Context, f history.Filter, p history.Probe, look history.Inspector, take history.Collector) (history.Coverage, error) {
	if err := (integrity{s.db}).sessions(ctx); err != nil {
		return history.Coverage{}, err
	}
	at, err := s.span(ctx, f)
	if err != nil {
		return history.Coverage{}, err
	}
	c := scan{store: s, filter: f, at: at, look: look, take: take}
	switch {
	case p.Texts != nil:
		err = c.texts(ctx, newestFirst(slices.Clone(p.Texts)))
	case p.Lacking:
		err = c.unindexed(ctx)
	case s.db.FullText() && len(p.Parts) > 0:
		c.cover.Indexed = true
		err = c.byParts(ctx, p.Parts)
	case s.db.FullText() && len(p.Need) > 0:
		err = c.byNeed(ctx, p.Need)
	default:
		err = c.all(ctx)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return c.cover, err
}

// Texts returns the number of texts that a filter admits.
func (s *Store) Texts(ctx context.Context, f history.Filter) (int, error) {
	cond, args := Where(f)
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(DISTINCT m.content) FROM messages m JOIN conversations c ON c.id = m.conversation
		WHERE m.type <> 'session' AND `+cond, args...)
	if err != nil {
		return 0, fmt.Errorf("count history: %w", sqlite.Explain(err))
	}
	return n, nil
}

// scan is the state of one Scan.
type scan struct {
	store  *Store
	filter history.Filter
	at     span
	look   history.Inspector
	take   history.Collector
	cover  history.Coverage
	budget int    // texts to read before errBudget, 0 for all
	raw    []byte // buffer of the goroutine that reads
}

// readColumns are the columns that a scan reads.
const readColumns = columns + `, t.codec, t.data`

// all reads every text.
func (c *scan) all(ctx context.Context) error {
	if kind := kindExpr(c.filter); kind != "" && c.store.db.FullText() {
		whole, err := c.store.Unindexed(ctx)
		if err != nil {
			return err
		}
		if whole == 0 {
			query, args := kindQuery(c.filter, c.at)
			if err := c.read(ctx, query, args...); err != nil {
				return err
			}
			return integrity{c.store.db}.matches(ctx, `{kind} : (`+kind+`)`, c.at, maxChecked)
		}
	}
	query, args := scanQuery(c.filter, c.at)
	return c.readAll(ctx, query, args...)
}

// readAll is read with a check whether anything was missed.
func (c *scan) readAll(ctx context.Context, query string, args ...any) error {
	if err := c.read(ctx, query, args...); err != nil {
		return err
	}
	return c.checkAll(ctx)
}

// kindQuery reads every text of some roles or of a tool by the index of words. A test pins
// its plan.
func kindQuery(f history.Filter, at span) (string, []any) {
	cond, args := Where(f)
	return `SELECT ` + readColumns + ` FROM words_fts f CROSS JOIN content t ON t.id = f.rowid
		CROSS JOIN messages m INDEXED BY messages_content ON m.content = t.id CROSS JOIN conversations c ON c.id = m.conversation
		WHERE f.words_fts MATCH ? AND f.rowid >= ? AND f.rowid <= ? AND ` + cond + ` ORDER BY f.rowid DESC`,
		append([]any{`{kind} : (` + kindExpr(f) + `)`, at.Least, at.Most}, args...)
}

// scanQuery reads every text; a test pins its plan. The content table is in the order of
// time, so nothing is sorted. For one session it reads only that session's texts.
func scanQuery(f history.Filter, at span) (string, []any) {
	cond, args := Where(f)
	if len(f.Sessions) == 1 {
		return `SELECT ` + readColumns + ` FROM conversations c
			CROSS JOIN messages m INDEXED BY messages_span ON m.conversation = c.id CROSS JOIN content t ON t.id = m.content
			WHERE m.content >= ? AND m.content <= ? AND ` + cond + ` ORDER BY m.content DESC`, append([]any{at.Least, at.Most}, args...)
	}
	return `SELECT ` + readColumns + ` FROM content t
		CROSS JOIN messages m INDEXED BY messages_content ON m.content = t.id CROSS JOIN conversations c ON c.id = m.conversation
		WHERE t.id >= ? AND t.id <= ? AND ` + cond + ` ORDER BY t.id DESC`, append([]any{at.Least, at.Most}, args...)
}

// unindexed reads the texts that are not in the index of words.
func (c *scan) unindexed(ctx context.Context) error {
	var ids []int64
	err := c.store.db.SelectContext(ctx, &ids, `SELECT content FROM unindexed WHERE content >= ? AND content <= ? ORDER BY content DESC`,
		c.at.Least, c.at.Most)
	if err != nil {
		return fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	c.cover.Lacking = len(ids)
	return c.texts(ctx, ids)
}

// readAtOnce is how many texts one query reads.
const readAtOnce = 64

// texts reads the texts with some ids, which are in descending order.
func (c *scan) texts(ctx context.Context, ids []int64) error {
	cond, args := Where(c.filter)
	for len(ids) > 0 {
		n := min(readAtOnce, len(ids))
		all := make([]any, 0, n+len(args))
		for _, id := range ids[:n] {
			all = append(all, id)
		}
		some := ids[:n]
		ids = ids[n:]
		err := c.read(ctx, `SELECT `+readColumns+` FROM content t CROSS JOIN messages m INDEXED BY messages_content ON m.content = t.id
			CROSS JOIN conversations c ON c.id = m.conversation
			WHERE t.id IN (?`+strings.Repeat(", ?", n-1)+`) AND `+cond+` ORDER BY t.id DESC`, append(all, args...)...)
		if err == nil {
			err = integrity{c.store.db}.texts(ctx, some)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lacking returns the texts that the indexes of parts lack, newest first.
func (c *scan) lacking(ctx context.Context) ([]int64, error) {
	var ids []int64
	if err := c.store.db.SelectContext(ctx, &ids, lackingQuery); err != nil {
		return nil, fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id < c.at.Least || id > c.at.Most })
	c.cover.Lacking = len(ids)
	return newestFirst(ids), nil
}

// lackingQuery finds the texts that the indexes of parts lack; a test pins its plan. With a
// range of texts in it, the planner would visit all of them.
const lackingQuery = `SELECT content FROM messages WHERE id > ` + derivedTo + ` UNION ALL SELECT content FROM underived`

// The number of candidates to fetch at once: few at first, because most scans soon have
// enough.
const (
	fewParts  = 128
	manyParts = 4096
)

// byParts reads the texts that contain all of some parts of words.
func (c *scan) byParts(ctx context.Context, parts []string) error {
	rest, err := c.lacking(ctx)
	if err != nil {
		return err
	}
	var expr []string
	for _, p := range parts {
		expr = append(expr, `"`+p+`"`)
	}
	below := c.at.Most
	for limit := fewParts; ; limit = manyParts {
		var ids []int64
		err := c.store.db.SelectContext(ctx, &ids, partsQuery, strings.Join(expr, " AND "), c.at.Least, below, limit)
		if err != nil {
			return fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		last := len(ids) < limit
		until := int64(math.MinInt64)
		if !last {
			below = ids[len(ids)-1] - 1
			until = below
		}
		n, _ := slices.BinarySearchFunc(rest, until, func(id, until int64) int {
			if id > until {
				return -1
			}
			return 1
		})
		ids = newestFirst(append(ids, rest[:n]...))
		rest = rest[n:]
		if err := c.texts(ctx, ids); err != nil || last {
			return err
		}
	}
}

const partsQuery = `SELECT rowid FROM parts_fts WHERE parts_fts MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?`

// newestFirst sorts ids in descending order and removes duplicates.
func newestFirst(ids []int64) []int64 {
	slices.SortFunc(ids, func(a, b int64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	return slices.Compact(ids)
}

// byNeed reads the texts that meet a Need, by the index of trigrams. If a large share of
// all texts may meet it, the index does not help: all are read, and soon there are enough.
// If many of the newest may, those are read before the index is queried for more.
func (c *scan) byNeed(ctx context.Context, need trigram.Need) error {
	const few = 64
	if common, err := c.common(ctx, need); err != nil {
		return err
	} else if common {
		c.budget = manyParts
		err := c.all(ctx)
		if c.budget = 0; !errors.Is(err, errBudget) {
			return err
		}
	}
	blocks, total, err := c.blocksWith(ctx, need)
	if err != nil {
		return err
	}
	if len(blocks) > few && len(blocks) > total/blockShare {
		return c.all(ctx)
	}
	c.cover.Indexed = true
	ids, err := c.lacking(ctx)
	if err != nil {
		return err
	}
	for len(blocks) > 0 {
		n := min(readAtOnce, len(blocks))
		if ids, err = c.inBlocks(ctx, ids, blocks[:n]); err != nil {
			return err
		}
		blocks = blocks[n:]
	}
	return c.texts(ctx, newestFirst(ids))
}

// blockShare is the share of blocks, 1/blockShare, above which the index of trigrams is no
// faster than reading all texts.
const blockShare = 4

// common reports whether many of the newest blocks have all trigrams of a need. Listing all
// such blocks takes long when there are many.
func (c *scan) common(ctx context.Context, need trigram.Need) (bool, error) {
	const newest = 256
	var ids []int64
	err := c.store.db.SelectContext(ctx, &ids, `SELECT rowid FROM grams_fts WHERE grams_fts MATCH ? ORDER BY rowid DESC LIMIT ?`, needExpr(need), newest)
	if err != nil {
		return false, fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	return len(ids) == newest && ids[0]-ids[newest-1] < newest*blockShare, nil
}

// blocksWith returns the blocks that have all trigrams of a need, and the total number of
// blocks.
func (c *scan) blocksWith(ctx context.Context, need trigram.Need) (blocks []any, total int, err error) {
	if err := c.store.db.GetContext(ctx, &total, `SELECT coalesce(max(id), 0) FROM blocks`); err != nil {
		return nil, 0, fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	rows, err := c.store.db.QueryContext(ctx, `SELECT rowid FROM grams_fts WHERE grams_fts MATCH ?`, needExpr(need))
	if err != nil {
		return nil, 0, fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, 0, fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		blocks = append(blocks, id)
	}
	return blocks, total, sqlite.Explain(rows.Err())
}

// needExpr renders a need in FTS5's query language.
func needExpr(need trigram.Need) string {
	var groups []string
	for _, g := range need {
		var strs []string
		for _, s := range g {
			var grams []string
			for _, gram := range trigram.Of(s) {
				grams = append(grams, `"`+string(appendGram(nil, gram))+`"`)
			}
			strs = append(strs, "("+strings.Join(grams, " AND ")+")")
		}
		groups = append(groups, "("+strings.Join(strs, " OR ")+")")
	}
	return strings.Join(groups, " AND ")
}

// inBlocks adds the texts of some blocks to ids.
func (c *scan) inBlocks(ctx context.Context, ids []int64, blocks []any) ([]int64, error) {
	var packed [][]byte
	err := c.store.db.SelectContext(ctx, &packed, `SELECT texts FROM blocks WHERE id IN (?`+strings.Repeat(", ?", len(blocks)-1)+`)`, blocks...)
	if err != nil {
		return nil, fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	if len(packed) < len(blocks) {
		if err := (integrity{c.store.db}).blocks(ctx, blocks); err != nil {
			return nil, err
		}
	}
	for _, b := range packed {
		for len(b) > 0 {
			id, n := binary.Varint(b)
			if n <= 0 {
				return nil, fmt.Errorf("search history: a block of texts is cut short: %w", sqlite.ErrDamaged)
			}
			if b = b[n:]; id >= c.at.Least && id <= c.at.Most {
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

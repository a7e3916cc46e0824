package words

import (
	"cmp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// maxWords is how many words a reason lists.
const maxWords = 3

// Why says briefly why a file is listed: the question names it, or it has words of the question in
// a declaration, in its path or, failing these, in its text. A declaration that has only a synonym is
// followed by the word that this stands for.
func (r *Ranked) Why() string {
	var out []string
	if r.Named {
		out = append(out, "named")
	}
	if len(r.Declares) > 0 {
		reason := "declares " + r.Declares[0].Name
		if r.Like != "" {
			reason += " (" + r.Like + ")"
		}
		out = append(out, reason)
	}
	if r.InPath {
		out = append(out, "path")
	}
	if len(out) == 0 {
		out = append(out, strings.TrimSuffix("text: "+strings.Join(r.Words, ", "), ": "))
	}
	return strings.Join(out, ", ")
}

// Lead puts the files that a question names at the front of a ranking, in their order. They may not
// be in it: the path may stand behind more words than a question is searched for.
func Lead(list []Ranked, named []int) []Ranked {
	for _, file := range slices.Backward(named) {
		r := Ranked{File: file}
		if i := slices.IndexFunc(list, func(r Ranked) bool { return r.File == file }); i >= 0 {
			r = list[i]
			list = slices.Delete(list, i, i+1)
		}
		if r.Named = true; len(list) > 0 {
			r.Score = max(r.Score, list[0].Score)
		}
		list = slices.Insert(list, 0, r)
	}
	return list
}

// foundIn lists the rarest words of a question that a text has. Synonyms do not count.
func (q *Query) foundIn(f *Found, s Scale) []string {
	has := make([]bool, len(q.terms))
	for _, m := range f.marks {
		has[m.term] = has[m.term] || m.weight > alikeWeight
	}
	var terms []int
	for t, there := range has {
		if there && q.terms[t].word != "" {
			terms = append(terms, t)
		}
	}
	slices.SortStableFunc(terms, func(a, b int) int { return cmp.Compare(s.weights[b], s.weights[a]) })
	var out []string
	for _, t := range terms[:min(maxWords, len(terms))] {
		out = append(out, q.terms[t].word)
	}
	return out
}

// like returns the word of a question of which the name of a declaration has a synonym, "" when the
// name has a word of the question itself.
func (q *Query) like(d lang.Decl) (word string) {
	exact := false
	q.scan([]byte(d.Name), func(_ int, s *stem, w float64) {
		exact = exact || w > alikeWeight
		word = cmp.Or(word, q.terms[s.term].word)
	})
	if exact {
		return ""
	}
	return word
}

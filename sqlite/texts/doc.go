// Package texts packs and unpacks the texts of a store: entries as pi wrote them and
// contents of objects, each kept once however many refer to it, some as differences to others.
// It also gives texts their ids, which are times. It must not know what a text is part of.
package texts

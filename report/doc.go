// Package report draws the results of other packages: every HTML page, chart and
// drawing that the program makes is made here, so that they look alike. A page is
// one file that loads nothing: it can be mailed, kept and opened without a network.
//
// All pages share one frame, one stylesheet (assets/style.css) and the functions of
// their templates; their sentences are in the templates, and the words for codes and
// names in words.go. A chart for a browser is a drawing: paths in the units of the
// data, so that a page's script reads the figures from the drawing. A chart for a
// terminal is text of a width, in colour or without.
//
// Names, paths and commands come from sessions and may hold anything. There are three
// walls: fence.OneLine makes hidden characters visible, html/template escapes what is
// left, and a page's own policy runs no script but the one whose hash it names.
//
// The package gets data in core's terms, or as answers of kota, and writes to an
// io.Writer. The same data gives the same bytes. It must not know commands, stores,
// files, clocks, or the state of a terminal: width and colour are parameters.
package report

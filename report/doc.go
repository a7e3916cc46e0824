// Package report draws the results of other packages. Every HTML page, chart and drawing of
// the program is made here, so that they look alike. A page is a single file that loads
// nothing: it can be mailed, kept, and opened without a network.
//
// The page of pictx report is an Account, in the files account*.go. All pages share a frame, a stylesheet (assets/style.css) and template functions. Their
// sentences are in the templates, the words for codes and names in words.go. A chart is an SVG
// drawing whose paths are in the units of the data, so that the page's script can read figures
// from it.
//
// Names, paths and commands come from sessions and may contain anything. Three barriers
// protect the page: fence.OneLine makes hidden characters visible, html/template escapes
// the rest, and the page's content security policy runs only the script whose hash it
// names.
//
// The package gets data in the terms of core, or answers of kota, and writes to an
// io.Writer. The same data gives the same bytes. It must not know commands, stores, files,
// clocks, or a terminal. Start with page.go, then the file of a page.
package report

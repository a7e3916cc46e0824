// Package pi installs the extension that connects pi to pictx. It contains the extension's
// files, installs and removes them, and reports whether installed files are as they were
// installed. It also reads pi's lists of installed extensions, to find others that do the
// same work.
//
// Nothing that a person wrote is lost. A file that was not installed is replaced only on
// request, and then kept in a backup. The extension's directory is exchanged as a whole: pi
// stops when an extension does not load, so it must see the old files or the new ones and
// never a mixture.
//
// The package must not know the protocol of the extension, nor any feature of pictx. Start
// with Extension.Install.
package pi

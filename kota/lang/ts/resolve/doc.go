// Package resolve finds the file that an import means, by TypeScript's rules: the
// nearest tsconfig or jsconfig with what it extends, the exports and imports of
// package.json, and the packages of a workspace by name, whether node_modules is
// installed or not.
//
// What TypeScript would not find because something is not built, not linked or
// asks for a bundler is looked for too, and the result is labelled as inferred.
//
// The package knows the tree by a list of its files and a function that reads a
// configuration file; it opens nothing, and must not know what an import is used
// for. All paths are relative to the root of the tree, with slashes.
package resolve

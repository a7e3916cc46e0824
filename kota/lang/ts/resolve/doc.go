// Package resolve finds the file that an import refers to, by TypeScript's rules: the nearest
// tsconfig or jsconfig with what it extends, exports and imports of package.json, and the
// packages of a workspace by name, whether node_modules is installed or not.
//
// It also finds targets that TypeScript would miss because they are not built, not linked or need
// a bundler. Such results are marked as inferred.
//
// The package knows the tree by the list of its files and a function that reads a configuration
// file. It opens nothing itself and must not know what an import is used for. All paths are
// relative to the root of the tree, with slashes.
//
// Start reading at Resolver.Resolve: files.go resolves relative specifiers, named.go aliases and
// packages.
package resolve

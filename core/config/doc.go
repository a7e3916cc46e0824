// Package config turns the places a setting can be made into one validated
// configuration, remembers which place decided each value, and edits a
// pictx.toml without disturbing anything a person wrote in it.
//
// The layers, where a later one wins: built-in defaults, the user's files of the original
// extensions (settings.json of pi, pi-kota.json and decision-memory.config.json), the
// user's pictx.toml, the same files of the project, the project's pictx.toml, the
// environment, command-line flags. One rule is different: a system's `enabled` is the
// user's value AND the project's, so that a project can switch off what its user has on
// but not on what its user has off; the environment and flags override both.
//
// Nothing here fails as a whole: a wrong value becomes a Warning and the layers below
// decide, because a typing error must not stop an agent.
//
// The package must not know where files are, whether a project is trusted, or
// what any setting does. It reads no disk and no environment: callers hand it
// the contents. To add a setting, add a line to the table in keys.go and the
// field it fills to Config.
package config

// Package core holds no code, only this map of the house. Each package says in its own comment
// what a user gets from it, and what it must not know.
//
//	cmd/pictx   version, signals, exit code
//	commands    the command line, a package for each noun over commands/cli: flags in, text or
//	            JSON out. The only part that asks a person anything
//	workspace   what a command and a hook stand in: project, trust, settings, stores, files
//	report      every page and drawing: data in, HTML out
//	hooks       pi's events: a request in, a reply out; the extension and its installation
//	sqlite      the database of a project. It and the packages below alone know SQL
//	agents/pi   pi as files: settings, trust, sessions
//	jsonl       the log of the hooks, and the log of decisions with its lock
//	kota        questions about source code, and the languages that it knows
//	repo        files and git of a project that nobody vouches for
//
// Use cases are functions here, over small interfaces that they declare; a command and a hook
// that do the same call the same function.
//
//	what is sent    message  token  text  fence  secret  glob  tool  exit
//	what it cost    session, the one walk over a session, over which fold: bill  usage
//	                transcript  replay
//	pruning         prune  prune/policy, why something goes, and what that costs  prune/state
//	                prune/marker, what stands for it  prune/excerpt, what stays of it  blob
//	history         history  history/recall, what models ask  summary
//	decisions       decision  decision/record
//	objects         object
//	code, settings  code  config
//
// Imports go down:
//
//	cmd → commands → workspace → {hooks, agents, sqlite, jsonl, kota} → {repo, core}
//	cmd → commands → report → kota
//
// No noun of commands knows another, nor one edge another; workspace puts them together. core and
// the languages of kota open no file, ask no clock and print nothing, but for blob, whose files
// are what it is for. Nothing opens a network connection. internal/house holds these walls, and
// how large a room may get.
//
// Beside the program: man and completions, generated; bench, a module of its own; scripts;
// internal/house, internal/acceptance and internal/e2e, which runs real pis; and for tests
// internal/must, clitest, corpus, decisiontest, historytest, kotastub, npm, scratch, sqlhook,
// storetest and tree.
package core

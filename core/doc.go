// Package core holds no code, only this map of the house: which package is for
// what, and which may know which.
//
// # The way in
//
//	cmd/pictx      version, signals, exit code
//	commands       the command line: flags in, text or JSON out; the composition
//	               root, and the only part that asks a person anything. A package for
//	               each noun (history, browse, prune, object, decision, kota, care)
//	               over commands/cli, which has what all of them share
//	workspace      what a command and a hook both stand in: process, project, trust,
//	               settings, stores, sessions, files, git; workspace/world is that machine as
//	               the hooks see it
//	workspace/pruning  the planner that the settings ask for, and what can be pruned at the
//	               shell: sessions and lists of messages
//	workspace/survey  asks stores what they hold of sessions, and what those cost
//
// # The use cases
//
// What the program does is a function in the core package of its noun, over
// small interfaces that the package declares itself. A command and a hook that
// do the same thing call the same function.
//
//	core/exit      exit codes, and errors that carry one with a hint
//	core/text      numbers, sizes, times and lines as people and models read them; words
//	               compared as a search does
//	core/message   pi's messages and session entries: a head that policies read,
//	               next to the bytes as pi wrote them; the tree they form
//	core/token     how many tokens a message is, by pi's own estimate
//	core/model     what a model costs, and whether its thinking is bound: pi's table
//	core/tool      which tools can be run again, and what their calls do to files
//	core/glob      patterns of paths that a project or a model wrote, in bounded work
//	core/fence     foreign text made safe to show: nothing hidden, no forged line
//	core/secret    keys in text: known formats, and what the user describes
//	core/session   the one walk over a session: its requests, as they were sent and as
//	               plain pi would have sent them; all that counts or prices folds over it
//	core/bill      what a session costs on both sides, with pictx and without
//	core/transcript  a session as a person reads it: calls with their results, what was
//	               pruned, summaries in their places
//	core/course    what each request of a session was made of, and why caches did not hold
//	core/usage     what responses of models cost, by day, model, project and session
//	core/prune     a session's decision to prune: what the model sees of it, what is pinned,
//	               pruned and restored there
//	core/prune/policy  which tool results go out of a context, and why
//	core/prune/calls   which call a tool result answers
//	core/prune/ledger  what the requests of a conversation were billed, followed as it grows
//	core/prune/state   which objects were deactivated in a session, and activated again
//	core/prune/marker  the text that stands for what was pruned, and recognising it
//	core/blob      the full text of results that is nowhere else
//	core/replay    what recorded sessions would have cost under each policy
//	core/history   keep every entry of every session, search it, bring it back
//	core/history/automaton  rules out texts that a regular expression does not match
//	core/history/door  masks what must not be stored on its way in
//	core/history/recall  what lcm_grep and lcm_expand take and reply
//	core/history/spelling  corrects the typing errors of a query by the words of an index
//	core/history/trigram  which three characters in a row a text must have to match
//	core/summary   the graph of summaries that stands for old messages
//	core/object    what an agent met, as objects with versions
//	core/object/capture  makes objects of what a session met
//	core/object/control  carries out what a model asks of the objects of its session
//	core/object/pool  lays a context out as self-context-manager does
//	core/object/visibility  works out which objects a model can see
//	core/decision  what was decided: a log of events, what it comes to, what is like it
//	core/decision/audit  what is wrong with a log, what a person should settle, and how
//	core/decision/capture  finds what a user marked as decisions in the prompts of a run
//	core/decision/dialog  what a person is asked about decisions, as data
//	core/decision/likeness  which decisions say the same, and which are closest to a text
//	core/decision/record  decisions as files for people, and reading those
//	core/code      what an agent may ask about source code, and what an answer needs
//	core/config    layers of settings, where each value came from, editing them
//
// # What is shown
//
//	report         every HTML page, chart and drawing, in one design: data in, a
//	               page or a drawing out
//
// # The edges
//
//	hooks          pi's events: requests in, replies out; the systems that answer
//	hooks/events   the one table of those events; writes every list of them
//	hooks/raw      the filter of events without an envelope, byte for byte
//	hooks/code     answers questions about code, and briefs the agent on files
//	hooks/decisions  shows decisions to the agent, and asks a person about them
//	hooks/recall   the systems that keep sessions, and bring back what they hold
//	hooks/pi       pi's extension, which knows no system; installing it
//	sqlite         the database of a project: opening, schema, transactions, backups. Only
//	               sqlite and the packages below it know SQL
//	sqlite/texts   every text once, packed, with ids that are times
//	sqlite/search  the full-text indexes of history, and what they find
//	sqlite/entries  sessions, their files and their entries
//	sqlite/summaries  the graph of summaries, and the leases of those who write them
//	sqlite/marks   which tool results are pruned, and which are pinned
//	sqlite/objects  objects and their versions
//	sqlite/erase   purges, redacts, and looks for what is left
//	sqlite/health  counts, checks and repairs
//	sqlite/lcm     a database of pi-lcm, read as sessions and summaries
//	sqlite/store   opens a store with all of these
//	agents/pi      the agent pi as files: its directory, settings, trust, and its
//	               sessions, as streams that can be resumed; a source of sessions
//	jsonl          the log of the hooks, and the log of decisions with its lock
//	repo           files and git of a project that nobody vouches for: a clone may
//	               hold anything
//	kota           questions about source code: who imports and uses what, and what a
//	               change affects; kota/lang is the seam to a language, kota/lang/ts and
//	               kota/lang/golang the languages there are, kota/index keeps and asks
//	               what kota/worktree lists, kota/graph knows which files import which,
//	               kota/words ranks files by the words of a question, kota/naming
//	               compares names, kota/members finds whose member a name stands for,
//	               kota/mcp asks KotaDB
//
// # Beside the program
//
//	man            manual pages and completions, generated from the commands
//	completions    the completions, committed
//	bench          a module of its own: measures processes, and how history is kept and found;
//	               bench/soak kills agents at work and compares what is left with the truth
//	scripts        the demo, the test runner, and what writes the known formats of keys
//	internal/house the tests that hold the walls below, and how large a room may get
//	internal/acceptance reads which tests hold what has to hold; make acceptance
//	internal/kotastub answers as KotaDB does, for tests
//	internal/historytest keeps a history in memory, for tests
//	internal/decisiontest keeps a log of decisions in memory, for tests
//	internal/storetest opens stores for tests, and puts sessions into them
//	internal/sqlhook tells tests what SQLite does
//	internal/tree  writes projects of any size, for tests and benchmarks
//	internal/corpus writes sessions of any size, for tests and benchmarks
//	internal/scratch makes directories for benchmarks, which an interrupt deletes, too
//	internal/clitest  what tests of commands share: the clock, the fields of help json
//	internal/npm installs packages of npm for tests, which share them
//	internal/e2e   the tests that run pictx inside a real pi
//	testdata       sessions and events recorded from a real pi
//
// # The walls
//
// Imports go one way:
//
//	cmd → commands → {workspace, report} → {hooks, agents, sqlite, jsonl, kota} → {repo, core}
//
// The packages of commands share commands/cli, and no noun knows another; commands
// itself wires them. workspace implements the ports that hooks and core declare, over
// the five edges, which never import each other, and alone knows the packages of agents:
// all others see the sessions of agents through the port Source of core/history. report
// draws what core and kota have found out, and knows kota's answers alone, not its
// engine.
//
// Packages of core import each other, the standard library without os, net, os/exec and
// database/sql, and a short list of others: jsontext, zstd, go-diff and
// doublestar, a stemmer, and in core/config a TOML parser. They open no file, ask no clock
// and print nothing, so that a plan is the same on every machine; core/blob alone
// has files, within an os.Root. kota/lang, kota/words, kota/graph, kota/members and
// kota/naming keep the same rule: what they say follows from what they are handed. The forms that ask a person
// are imported by commands alone, the database driver by sqlite alone. Nothing opens a
// network connection.
//
// How many lines a package may have, how many methods a type or an interface, how
// long and how branched a function may be, and who may touch files, is in one table
// at the top of internal/house/gauges_test.go. Package variables are tables: nothing
// may change them.
//
// Tests may cross a wall, what ships may not. Adding a package means adding it
// to this map and to the rules of internal/house, whose tests fail otherwise.
package core

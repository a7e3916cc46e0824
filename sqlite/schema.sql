-- The schema of a store as of the first release. It stays as it is: changes are migrations, see
-- schema.go.

-- meta holds what the store is about: the project's key.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- roots are the work trees this store was used from.
CREATE TABLE roots (
  path TEXT PRIMARY KEY,
  seen INTEGER NOT NULL            -- Unix milliseconds
) WITHOUT ROWID;

-- History: sessions, their files, their entries, and the text of all of it.

-- conversations are pi's sessions.
CREATE TABLE conversations (
  id         INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE, -- the id in the file's header
  cwd        TEXT NOT NULL,
  version    INTEGER NOT NULL,     -- of the session format
  parent     TEXT NOT NULL,        -- the file it was forked from, "" for none
  name       TEXT NOT NULL,
  started    INTEGER NOT NULL      -- Unix milliseconds
);

-- files are the session files that were read, and how far.
CREATE TABLE files (
  path         TEXT PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (id),
  identity     TEXT NOT NULL,      -- device and inode
  size         INTEGER NOT NULL,   -- -1 while it is being read
  mtime        INTEGER NOT NULL,   -- Unix nanoseconds
  offset       INTEGER NOT NULL,   -- bytes read
  lines        INTEGER NOT NULL,
  entries      INTEGER NOT NULL,
  tail         BLOB NOT NULL       -- hash of the last bytes before offset
) WITHOUT ROWID;

-- content holds every text once, whoever refers to it. The id of a text is its time: the
-- second, and a number within it, so that an index gives the newest first without
-- sorting.
CREATE TABLE content (
  id    INTEGER PRIMARY KEY,
  hash  BLOB NOT NULL UNIQUE,      -- sha-256 of the text
  codec INTEGER NOT NULL,          -- see codec.go
  size  INTEGER NOT NULL,          -- bytes of the text
  data  BLOB NOT NULL
);

-- messages are the entries of sessions: one row for each line of a file.
CREATE TABLE messages (
  id           INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (id),
  entry_id     TEXT NOT NULL,
  parent_id    TEXT NOT NULL,      -- "" at a root
  ordinal      INTEGER NOT NULL,   -- position among the file's entries
  type         TEXT NOT NULL,
  role         TEXT NOT NULL,
  tool         TEXT NOT NULL,
  is_error     INTEGER NOT NULL,
  time         INTEGER NOT NULL,   -- Unix milliseconds
  content      INTEGER NOT NULL REFERENCES content (id),
  turn         INTEGER NOT NULL DEFAULT 0, -- 1 when the parent is not the entry before it in the file
  UNIQUE (entry_id, conversation, content)
);
CREATE INDEX messages_conversation ON messages (conversation, ordinal);
CREATE INDEX messages_content ON messages (content);
CREATE INDEX messages_span ON messages (conversation, content);
CREATE INDEX messages_turn ON messages (conversation, ordinal) WHERE turn = 1;

-- purged are the lines that were taken out of the store on purpose, by hash: they
-- are not stored again.
CREATE TABLE purged (
  hash    BLOB PRIMARY KEY,        -- sha-256 of the line
  content INTEGER REFERENCES content (id), -- what stands in its place
  time    INTEGER NOT NULL         -- Unix milliseconds
) WITHOUT ROWID;
CREATE INDEX purged_content ON purged (content) WHERE content IS NOT NULL;

-- purged_from are the entries that were taken out of a session on purpose: they are
-- not stored again, although another session may have the same line.
CREATE TABLE purged_from (
  session_id TEXT NOT NULL,
  hash       BLOB NOT NULL,         -- sha-256 of the line
  time       INTEGER NOT NULL,      -- Unix milliseconds
  PRIMARY KEY (session_id, hash)
) WITHOUT ROWID;

-- Marks: which tool results of a session are pruned, and what stands in their
-- place.

-- A mark is in force while its leaf, the entry at which it was decided, is on the
-- session's branch. The session may be unknown to conversations still.
CREATE TABLE marks (
  session_id    TEXT NOT NULL,
  entry_id      TEXT NOT NULL,
  leaf          TEXT NOT NULL,
  marker        TEXT NOT NULL,
  source        TEXT NOT NULL,
  reason        TEXT NOT NULL,
  tokens        INTEGER NOT NULL,
  marker_tokens INTEGER NOT NULL,
  time          INTEGER NOT NULL,    -- Unix milliseconds
  PRIMARY KEY (session_id, entry_id, leaf)
) WITHOUT ROWID;

-- Pins: what is never taken out of a session's context.
CREATE TABLE pins (
  session_id TEXT NOT NULL,
  target     TEXT NOT NULL,        -- the id of an entry, or a glob of paths
  is_path    INTEGER NOT NULL,     -- bits, see sqlite/store
  reason     TEXT NOT NULL,
  time       INTEGER NOT NULL,     -- Unix milliseconds
  PRIMARY KEY (session_id, target, is_path)
) WITHOUT ROWID;

-- Summaries: what stands for spans of sessions, and what it was made from.

-- summaries are nodes of a directed acyclic graph. Which of them stand on a branch
-- is computed from its path: nothing here says that a message is covered.
CREATE TABLE summaries (
  id           INTEGER PRIMARY KEY,
  key          TEXT NOT NULL UNIQUE, -- "s-" and a hash of what it was made from
  session_id   TEXT NOT NULL,        -- that it was made in
  depth        INTEGER NOT NULL,     -- 0 for a leaf
  kind         TEXT NOT NULL,        -- model or extract
  hash         TEXT NOT NULL,        -- of the sources
  first_entry  TEXT NOT NULL,
  last_entry   TEXT NOT NULL,
  entries      INTEGER NOT NULL,
  started      INTEGER NOT NULL,     -- of the first entry, Unix milliseconds
  ended        INTEGER NOT NULL,     -- of the last one
  text         TEXT NOT NULL,
  tokens       INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  model        TEXT NOT NULL,        -- provider/id, or "" for an extract
  prompt       INTEGER NOT NULL,     -- version of the prompts
  created      INTEGER NOT NULL      -- Unix milliseconds
);
CREATE INDEX summaries_session ON summaries (session_id, depth);
CREATE INDEX summaries_first ON summaries (first_entry);

-- summary_sources are what a summary was made from: the ids of entries for a
-- leaf, the keys of summaries for the others.
CREATE TABLE summary_sources (
  summary INTEGER NOT NULL REFERENCES summaries (id) ON DELETE CASCADE,
  ord     INTEGER NOT NULL,
  source  TEXT NOT NULL,
  PRIMARY KEY (summary, ord)
) WITHOUT ROWID;
CREATE INDEX summary_sources_source ON summary_sources (source);

-- leases say who may summarise a session. The token grows with every holder.
CREATE TABLE leases (
  session_id TEXT PRIMARY KEY,
  token      INTEGER NOT NULL,
  expires    INTEGER NOT NULL        -- Unix milliseconds; 0 when it was given back
) WITHOUT ROWID;

-- Objects: what an agent saw, with versions.

CREATE TABLE object_sessions (
  id         INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE
);

-- object_tx are the transactions. No two have the same time, and none is earlier
-- than one before it.
CREATE TABLE object_tx (
  id      INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,        -- Unix microseconds
  actor   TEXT NOT NULL,
  session INTEGER REFERENCES object_sessions (id),
  reason  TEXT NOT NULL
);

CREATE TABLE objects (
  oid      INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  kind     TEXT NOT NULL,
  key      TEXT NOT NULL,          -- no two objects have the same
  keyhash  INTEGER NOT NULL,       -- what it is found by: paths are long
  nickname TEXT UNIQUE COLLATE NOCASE,
  versions INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX objects_key ON objects (keyhash);

-- object_versions are what was known of objects, each from its time to that of the next.
-- They are not changed, but when their content is purged.
CREATE TABLE object_versions (
  oid     INTEGER NOT NULL REFERENCES objects (oid),
  at      INTEGER NOT NULL,        -- Unix microseconds
  number  INTEGER NOT NULL,        -- in the order of writing
  deleted INTEGER NOT NULL,
  purged  INTEGER NOT NULL,
  content INTEGER REFERENCES content (id), -- of a file or a system prompt
  size    INTEGER NOT NULL,        -- bytes of the content, -1 for none
  hashes  BLOB NOT NULL,           -- of the content, of what a catalogue shows, of all
  doc     TEXT NOT NULL,           -- the document, JSON
  PRIMARY KEY (oid, at, number)
) WITHOUT ROWID;
CREATE INDEX object_versions_content ON object_versions (content) WHERE content IS NOT NULL;

-- object_events are what happened to objects in sessions.
CREATE TABLE object_events (
  seq     INTEGER PRIMARY KEY,
  tx      INTEGER NOT NULL REFERENCES object_tx (id),
  session INTEGER NOT NULL REFERENCES object_sessions (id),
  leaf    TEXT NOT NULL,
  oid     INTEGER NOT NULL REFERENCES objects (oid),
  what    TEXT NOT NULL
);
CREATE INDEX object_events_session ON object_events (session, oid);

-- object_stats are how files looked when they were read last.
CREATE TABLE object_stats (
  oid    INTEGER PRIMARY KEY REFERENCES objects (oid),
  size   INTEGER NOT NULL,
  mtime  INTEGER NOT NULL,         -- Unix nanoseconds
  inode  INTEGER NOT NULL,
  device INTEGER NOT NULL
);

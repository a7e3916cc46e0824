-- History: sessions, their files, their entries, and the text of all of it.

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

-- content holds every text once, whoever refers to it.
CREATE TABLE content (
  id    INTEGER PRIMARY KEY,
  hash  BLOB NOT NULL UNIQUE,      -- sha-256 of the text
  codec INTEGER NOT NULL,          -- 0 as it is, 1 zstd
  base  INTEGER REFERENCES content (id), -- what data is a difference to
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
  alias        TEXT NOT NULL DEFAULT '', -- the id before pi gave the entry one
  UNIQUE (entry_id, conversation, content)
);
CREATE INDEX messages_conversation ON messages (conversation, ordinal);
CREATE INDEX messages_content ON messages (content);

-- unindexed lists the content that the full-text index lacks, because the binary
-- that wrote it was built without full-text search.
CREATE TABLE unindexed (
  content INTEGER PRIMARY KEY REFERENCES content (id)
);

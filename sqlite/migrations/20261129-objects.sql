-- Objects: what an agent met, with versions in two times.

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
  reason  TEXT NOT NULL,
  request TEXT UNIQUE
);

CREATE TABLE objects (
  oid      INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  kind     TEXT NOT NULL,
  key      TEXT NOT NULL,          -- no two objects have the same
  keyhash  INTEGER NOT NULL,       -- what it is found by: paths are long
  nickname TEXT UNIQUE COLLATE NOCASE,
  versions INTEGER NOT NULL DEFAULT 0,
  evicted  INTEGER REFERENCES object_tx (id)
);
CREATE INDEX objects_key ON objects (keyhash);

-- object_versions are what was said. They are not changed, but when their content is
-- evicted.
CREATE TABLE object_versions (
  oid     INTEGER NOT NULL REFERENCES objects (oid),
  number  INTEGER NOT NULL,
  tx      INTEGER NOT NULL REFERENCES object_tx (id),
  vf      INTEGER NOT NULL,        -- as it was written, Unix microseconds
  vt      INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  evicted INTEGER NOT NULL DEFAULT 0,
  content INTEGER REFERENCES content (id),
  size    INTEGER NOT NULL,        -- bytes of the content, -1 for none
  hashes  BLOB NOT NULL,           -- of the content, of what a catalogue shows, of all
  fields  TEXT,                    -- the document, JSON
  doc     INTEGER REFERENCES content (id), -- in its place when it is long
  PRIMARY KEY (oid, number)
) WITHOUT ROWID;
CREATE INDEX object_versions_content ON object_versions (content) WHERE content IS NOT NULL;
CREATE INDEX object_versions_doc ON object_versions (doc) WHERE doc IS NOT NULL;

-- object_facts say which version is true when, and when that was known: half-open
-- intervals, of which no two of an object overlap in both times.
CREATE TABLE object_facts (
  oid    INTEGER NOT NULL,
  vf     INTEGER NOT NULL,
  vt     INTEGER NOT NULL,
  tf     INTEGER NOT NULL,
  tt     INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (oid, vf, tf),
  CHECK (vf < vt AND tf < tt)
) WITHOUT ROWID;
CREATE INDEX object_facts_known ON object_facts (oid, tf);
CREATE INDEX object_facts_now ON object_facts (oid, vf) WHERE tt = 9223372036854775807;

-- object_events are what happened to objects in sessions.
CREATE TABLE object_events (
  seq     INTEGER PRIMARY KEY,
  tx      INTEGER NOT NULL REFERENCES object_tx (id),
  session INTEGER NOT NULL REFERENCES object_sessions (id),
  leaf    TEXT NOT NULL,
  oid     INTEGER NOT NULL REFERENCES objects (oid),
  what    TEXT NOT NULL
);
CREATE INDEX object_events_session ON object_events (session);

-- object_refs are references, from the version that has them first to the one that
-- does not any more. The object referred to need not be there.
CREATE TABLE object_refs (
  oid    INTEGER NOT NULL REFERENCES objects (oid),
  field  TEXT NOT NULL,
  target TEXT NOT NULL,            -- an id
  ref    TEXT NOT NULL,            -- of one to a version: JSON
  since  INTEGER NOT NULL,
  until  INTEGER,                  -- NULL while the last version has it
  PRIMARY KEY (oid, field, target, ref, since)
) WITHOUT ROWID;
CREATE INDEX object_refs_target ON object_refs (target);

-- object_stats are how files looked when they were read last.
CREATE TABLE object_stats (
  oid    INTEGER PRIMARY KEY REFERENCES objects (oid),
  size   INTEGER NOT NULL,
  mtime  INTEGER NOT NULL,         -- Unix nanoseconds
  inode  INTEGER NOT NULL,
  device INTEGER NOT NULL
);

-- object_unindexed lists contents that the full-text index of objects may lack.
CREATE TABLE object_unindexed (
  content INTEGER PRIMARY KEY REFERENCES content (id)
);

-- Texts may be differences to others now.
CREATE INDEX content_base ON content (base) WHERE base IS NOT NULL;

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

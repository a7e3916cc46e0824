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

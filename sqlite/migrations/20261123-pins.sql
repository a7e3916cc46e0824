-- Pins: what is never taken out of a session's context.

CREATE TABLE pins (
  session_id TEXT NOT NULL,
  target     TEXT NOT NULL,        -- the id of an entry, or a glob of paths
  is_path    INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  time       INTEGER NOT NULL,     -- Unix milliseconds
  PRIMARY KEY (session_id, target, is_path)
) WITHOUT ROWID;

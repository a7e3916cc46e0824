-- Where entries come from that were not in a session file.

ALTER TABLE messages ADD COLUMN origin TEXT NOT NULL DEFAULT ''; -- 'lcm': a database of pi-lcm

-- purged_from are the entries that were taken out of a session on purpose: they are
-- not stored again, although another session may have the same line.
CREATE TABLE purged_from (
  session_id TEXT NOT NULL,
  hash       BLOB NOT NULL,         -- sha-256 of the line
  time       INTEGER NOT NULL,      -- Unix milliseconds
  PRIMARY KEY (session_id, hash)
) WITHOUT ROWID;

-- Search: texts get ids in the order of their time, so that an index gives the
-- newest first without sorting; and indexes of parts of words beside that of
-- words.

PRAGMA defer_foreign_keys = ON;

-- The id of a text is its time: the second, and a number within it.
CREATE TABLE rekey (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO rekey (old, new)
SELECT id, n + max((second << 8) - n) OVER (ORDER BY n)
FROM (
  SELECT t.id, row_number() OVER (ORDER BY min(max(coalesce(m.time, 0) / 1000, 0), 1 << 40), t.hash) AS n,
         min(max(coalesce(m.time, 0) / 1000, 0), 1 << 40) AS second
  FROM content t LEFT JOIN (SELECT content, min(time) AS time FROM messages GROUP BY content) m ON m.content = t.id
);
UPDATE messages SET content = (SELECT new FROM rekey WHERE old = content);
UPDATE content SET base = (SELECT new FROM rekey WHERE old = base) WHERE base IS NOT NULL;
UPDATE content SET id = -(SELECT new FROM rekey WHERE old = id);
UPDATE content SET id = -id;
DROP TABLE rekey;

CREATE INDEX messages_span ON messages (conversation, content);

-- What the index of words had is of the old ids: it is made again.
DELETE FROM unindexed;
INSERT INTO unindexed (content) SELECT id FROM content;

-- underived lists the texts of old entries that the indexes of parts lack: all
-- texts of entries after the one that meta names as 'derived' are lacking too.
CREATE TABLE underived (
  content INTEGER PRIMARY KEY REFERENCES content (id)
);

-- blocks are the texts that are one document of the index of character triples.
CREATE TABLE blocks (
  id    INTEGER PRIMARY KEY,
  texts BLOB NOT NULL              -- ids of content, varints
);

-- purged are the lines that were taken out of the store on purpose, by hash: they
-- are not stored again.
CREATE TABLE purged (
  hash    BLOB PRIMARY KEY,        -- sha-256 of the line
  content INTEGER REFERENCES content (id), -- what stands in its place
  time    INTEGER NOT NULL         -- Unix milliseconds
) WITHOUT ROWID;

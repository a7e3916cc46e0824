-- A lease names the process that holds it, so that one that was killed is in nobody's
-- way; entries tell at which of them a session went back.

ALTER TABLE leases ADD COLUMN holder TEXT NOT NULL DEFAULT ''; -- machine, process and its start; '' for unknown

-- turn is 1 for an entry whose parent is not the entry before it in the file.
ALTER TABLE messages ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
UPDATE messages SET turn = 1 WHERE type <> 'session' AND NOT EXISTS (SELECT 1 FROM messages a
  WHERE a.conversation = messages.conversation AND a.ordinal = messages.ordinal - 1 AND a.entry_id = messages.parent_id);
CREATE INDEX messages_turn ON messages (conversation, ordinal) WHERE turn = 1;

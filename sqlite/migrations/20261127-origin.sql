-- Where entries come from that were not in a session file.

ALTER TABLE messages ADD COLUMN origin TEXT NOT NULL DEFAULT ''; -- 'lcm': a database of pi-lcm

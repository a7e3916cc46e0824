-- Former ids of entries are looked up without reading all entries.

CREATE INDEX messages_alias ON messages (alias) WHERE alias <> '';

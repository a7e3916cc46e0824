package index

// Decode reads bytes that may be an index.
func Decode(b []byte) {
	t, err := decode(sealed(b))
	if err != nil {
		return
	}
	for i := range t.files {
		if t.files[i].facts != "" {
			_, _ = decodeFacts(t.files[i].facts, withImports|withDecls|withUses)
			usesOf(t.files[i].facts, "x")
			t.files[i].header()
		}
	}
	newGraph(t)
}

// sealed gives bytes a checksum that holds, so that what is behind it is read.
func sealed(b []byte) []byte {
	if len(b) < len(magic)+4 {
		return b
	}
	t := append([]byte(nil), b...)
	seal(t)
	return t
}

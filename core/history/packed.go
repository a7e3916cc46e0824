package history

// Packed is a text in the form a store keeps it.
type Packed struct {
	Codec int
	Data  []byte
}

package console

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// A reader that a form left behind wakes with the first key of the next form: the key must
// stay for that form.
func TestAReaderLeftBehindTakesNoKeyOfTheNextForm(t *testing.T) {
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	first, over := Keys(in)
	if _, ok := first.(interface{ Fd() uintptr }); !ok {
		t.Error("a form cannot see that its input is a terminal")
	}
	over()
	if _, err := typed.WriteString("y"); err != nil {
		t.Fatal(err)
	}
	typed.Close()
	if n, err := first.Read(make([]byte, 8)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("the first form still reads: %d bytes, %v", n, err)
	}
	second, over := Keys(in)
	defer over()
	if got, err := io.ReadAll(second); string(got) != "y" || err != nil {
		t.Errorf("the second form got %q, %v", got, err)
	}
	if plain, _ := Keys(strings.NewReader("x")); plain == nil {
		t.Error("what is not a file is not read")
	}
}

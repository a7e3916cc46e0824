package replay

import (
	"fmt"
	"strings"
	"time"
)

// long is a session of the given number of turns, each of two requests that read, edit or run
// something, with a pause now and then.
func long(turns int) *session {
	s := newSession()
	for i := range turns {
		s.user(20)
		for j := range 2 {
			n := 2*i + j
			id, file := fmt.Sprintf("c%d", n), fmt.Sprintf("src/part%d/file%d.go", n%7, n*n%(10+turns/4))
			was := fmt.Sprintf("a line of %s, read at %d", file, n)
			switch n % 4 {
			case 0, 1:
				s.calls(id, "read", fmt.Sprintf(`{"path":%q}`, file))
				s.result(id, "read", was+strings.Repeat("\nsome line of text", 20+n%150))
			case 2:
				s.calls(id, "edit", fmt.Sprintf(`{"path":"src/part%d/file%d.go","oldText":"a line of src/part%d/file%d.go, read at %d","newText":"x"}`, (n-1)%7, (n-1)*(n-1)%(10+turns/4), (n-1)%7, (n-1)*(n-1)%(10+turns/4), n-1))
				s.result(id, "edit", "done")
			default:
				s.calls(id, "bash", `{"command":"go test ./..."}`)
				s.result(id, "bash", strings.Repeat("ok\n", 300))
			}
		}
		s.answer(30)
		if i%10 == 9 {
			s.wait(10 * time.Minute)
		}
	}
	return s
}

package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// maxOutput is the maximum size of what is kept of a program's output, in bytes.
const maxOutput = 1 << 20

// Outside runs a program in an empty directory, in which it finds no project, without pictx in
// pi, and for at most limit, after which it is killed with its children. input is its standard
// input. It returns the beginning of what the program wrote to standard output and to standard
// error.
func Outside(ctx context.Context, limit time.Duration, environ, argv []string, input string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	dir, remove, err := EmptyDir()
	if err != nil {
		return "", "", err
	}
	defer remove()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(environ[:len(environ):len(environ)], "PICTX_DISABLE=1", "PI_SKIP_VERSION_CHECK=1")
	cmd.Stdin = strings.NewReader(input)
	var out, errs capped
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	OwnGroup(cmd)
	if err = cmd.Run(); errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("%s took longer than %v", argv[0], limit)
	}
	return out.String(), errs.String(), err
}

// capped keeps the first maxOutput bytes and discards the rest.
type capped struct{ bytes.Buffer }

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	_, _ = c.Buffer.Write(p[:min(len(p), maxOutput-c.Len())]) // never fails
	return len(p), nil
}

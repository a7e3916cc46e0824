package commands

import (
	"bytes"
	"context"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/workspace"
)

// outcome is what a command wrote, and its exit code.
type outcome struct {
	code      int
	out, errs string
}

// runIn runs a command line in a directory that is also the user's home.
func runIn(ctx context.Context, dir string, args ...string) outcome {
	var out, errs bytes.Buffer
	code := Main(ctx, &cli.Env{
		Process: workspace.Process{Dir: dir, Now: clitest.Now, Environ: []string{"HOME=" + dir, "PATH=" + dir}},
		Args:    args, In: &bytes.Buffer{}, Out: &out, Err: &errs,
	})
	return outcome{code, out.String(), errs.String()}
}

// interrupted is a context that is done.
func interrupted() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

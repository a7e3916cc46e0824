package cli

import (
	"io"
	"os"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/coctostan/pictx/workspace"
)

// Env is the world as a command sees it. Tests hand in their own.
type Env struct {
	workspace.Process
	Args     []string // without the program's name
	In       io.Reader
	Out, Err io.Writer
	// HookDeadline is how long a hook may take before it changes nothing: the
	// agent waits for it before every request to the model.
	HookDeadline time.Duration

	// Whether the streams are terminals: colour, progress and questions depend
	// on it.
	InTerminal, OutTerminal, ErrTerminal bool
	// Width and Height are how many characters a line of Out holds, and how many lines it
	// has; 0 when it is not a terminal.
	Width, Height int
}

// System is the Env of this process.
func System(version string) *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	// 0 when it is not a terminal.
	width, height, _ := term.GetSize(os.Stdout.Fd())
	env := &Env{
		Process: workspace.Process{Environ: os.Environ(), Dir: dir, Now: time.Now, Version: version},
		Args:    os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(os.Stdin.Fd()),
		OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		ErrTerminal: term.IsTerminal(os.Stderr.Fd()),
		Width:       width,
		Height:      height,
	}
	env.Self, err = os.Executable()
	if err != nil {
		env.Self = os.Args[0]
	}
	env.HookDeadline = HookDeadline(env.Getenv("PICTX_HOOK_MS"))
	return env
}

// HookDeadline reads PICTX_HOOK_MS: 200 ms unless it is a number from 50 to 600,000.
func HookDeadline(text string) time.Duration {
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 50 || ms > 600_000 {
		ms = 200
	}
	return time.Duration(ms) * time.Millisecond
}

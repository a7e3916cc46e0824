package cli

import (
	"io"
	"os"
	"os/user"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/coctostan/pictx/workspace"
)

// Env is the environment of a command. Tests pass their own.
type Env struct {
	workspace.Process
	Args     []string // without the program's name
	In       io.Reader
	Out, Err io.Writer
	// HookDeadline is how long a hook may take before it gives up and changes nothing.
	// The agent waits for hooks before every request to the model.
	HookDeadline time.Duration
	// Alone is true where nothing but the command runs in the process: it may set how garbage is collected.
	Alone bool

	// Whether the streams are terminals, on which colour, progress and questions depend.
	InTerminal, OutTerminal, ErrTerminal bool
	// Width is that of the terminal in characters, 0 if Out is not one.
	Width int
}

// System returns the Env of this process.
func System(version string) *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	width, _, _ := term.GetSize(os.Stdout.Fd()) // 0 if it is not a terminal
	env := &Env{
		Process: workspace.Process{Environ: environ(), Dir: dir, Now: time.Now, Version: version},
		Args:    os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(os.Stdin.Fd()),
		OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		ErrTerminal: term.IsTerminal(os.Stderr.Fd()),
		Width:       width, Alone: true,
	}
	env.Self, err = os.Executable()
	if err != nil {
		env.Self = os.Args[0]
	}
	env.HookDeadline = HookDeadline(env.Getenv("PICTX_HOOK_MS"))
	return env
}

// environ returns the environment. A service manager, or env -i, sets no HOME; then it is the
// home directory of the account, which pi takes, too.
func environ() []string {
	all := os.Environ()
	if _, set := os.LookupEnv("HOME"); set {
		return all
	}
	if me, err := user.Current(); err == nil && me.HomeDir != "" {
		all = append(all, "HOME="+me.HomeDir)
	}
	return all
}

// HookDeadline parses PICTX_HOOK_MS: a number of milliseconds from 50 to 600,000, otherwise
// 200.
func HookDeadline(text string) time.Duration {
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 50 || ms > 600_000 {
		ms = 200
	}
	return time.Duration(ms) * time.Millisecond
}

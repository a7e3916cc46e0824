// Command pictx governs what an AI coding agent has in its context.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
)

// version is set by the release build; without it the module's own is used.
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	env := cli.System(version)
	ended := commands.EndSoon(ctx, env, os.Exit)
	code := commands.Main(ctx, env)
	ended()
	stop()
	os.Exit(code)
}

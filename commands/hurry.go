package commands

import (
	"context"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
)

// grace is how long an interrupted command has to end by itself.
const grace = 800 * time.Millisecond

// EndSoon has end called with the exit code of an interrupted command when ctx is over and
// the command has had its grace: SQLite, git and the disk are not to hold up who wants it
// to end. What was being written is as after a crash, which loses nothing. The function
// that it returns takes that back: the end of ctx is then no interruption.
func EndSoon(ctx context.Context, env *cli.Env, end func(code int)) (takeBack func() bool) {
	return context.AfterFunc(ctx, func() {
		time.Sleep(grace)
		if len(env.Args) > 0 && env.Args[0] == "hook" && !flagGiven(env.Args, "--strict") {
			end(exit.OK)
			return
		}
		end(exit.Interrupted)
	})
}

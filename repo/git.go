package repo

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// waitForGit is how long git has to end after it was told to.
const waitForGit = time.Second

// Git prepares a git command for the repository around dir. git writes nothing (except with
// git config), asks nothing, does not use the network, and runs nothing that the repository
// configures: no monitors, hooks, pagers, filters, diff drivers or signature programs. Nor does
// it read the files that the configuration names, which may have no end. It is an error when
// git is not installed; a git inside dir does not count.
func Git(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	program, err := lookUp("git", dir)
	if err != nil {
		return nil, err
	}
	var off []string
	if args[0] == "diff" || args[0] == "blame" { // these read the work tree
		if off, err = attributesOff(ctx, program, dir); err != nil {
			return nil, err
		}
		safe := []string{args[0], "--no-textconv"}
		if args[0] == "blame" {
			safe = append(safe, "--no-ignore-revs-file") // an empty setting would not keep git from reading the others
		} else {
			// In a submodule git would run what that configures: a submodule is compared by its commit.
			safe = append(safe, "--no-ext-diff", "--ignore-submodules=dirty", "--submodule=short", "-O"+os.DevNull)
		}
		args = append(safe, args[1:]...)
	}
	return command(ctx, program, dir, append(off, args...)), nil
}

func command(ctx context.Context, program, dir string, args []string) *exec.Cmd {
	var all []string
	for _, setting := range []string{
		"core.fsmonitor=false", "core.untrackedCache=false", "core.hooksPath=" + os.DevNull,
		"diff.external=", "log.showSignature=false", "protocol.allow=never",
		"mailmap.file=",
	} {
		all = append(all, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, program, append(append(all, "--no-pager"), args...)...)
	OwnGroup(cmd)
	cmd.Dir, cmd.WaitDelay = dir, waitForGit
	cmd.Env = slices.DeleteFunc(os.Environ(), runsPrograms)
	// An older git does not know GIT_NO_LAZY_FETCH and fetches what a partial clone lacks; the
	// repository's protocol.NAME.allow would count more than protocol.allow.
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C")
	return cmd
}

// runsPrograms reports whether an environment variable makes git run a program, or
// configures one: it was meant for git at a terminal. Variables that select the repository
// or the author stay.
func runsPrograms(variable string) bool {
	for _, prefix := range []string{
		"GIT_ASKPASS=", "GIT_CONFIG_COUNT=", "GIT_CONFIG_KEY_", "GIT_CONFIG_PARAMETERS=", "GIT_CONFIG_VALUE_",
		"GIT_EDITOR=", "GIT_EXTERNAL_DIFF=", "GIT_PAGER=", "GIT_PROXY_COMMAND=", "GIT_SEQUENCE_EDITOR=", "GIT_SSH", "GIT_TRACE",
	} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return false
}

// attributesOff returns the arguments that switch off the filters and the file of attributes
// in the repository's own configuration. Those that the user configured stay, unless the
// repository names a file of attributes in place of theirs.
func attributesOff(ctx context.Context, program, dir string) ([]string, error) {
	var off []string
	for _, scope := range []string{"--local", "--worktree"} {
		out, err := command(ctx, program, dir, []string{"config", scope, "--includes", "-z", "--name-only", "--get-regexp", `^(filter\.|core\.attributesfile$)`}).Output()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // none, or not a repository, which the command itself will report
		}
		for key := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
			if string(key) == "core.attributesfile" {
				off = append(off, "-c", "core.attributesFile=")
			} else if dot := bytes.LastIndexByte(key, '.'); dot > 0 {
				name := string(key[:dot])
				if strings.Contains(name, "=") { // git -c would take what comes before it for the key
					return nil, fmt.Errorf("switch off %q: no filter can have this name", name)
				}
				off = append(off, "-c", name+".clean=", "-c", name+".process=", "-c", name+".required=false")
			}
		}
	}
	return off, nil
}

// lookUp finds a program in PATH outside of the work tree that contains dir.
func lookUp(name, dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	home, _ := os.UserHomeDir()
	for at := real; at != home && filepath.Dir(at) != at; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			real = at
			break
		}
	}
	for _, entry := range filepath.SplitList(os.Getenv("PATH")) {
		at, err := filepath.EvalSymlinks(entry)
		if err != nil || !filepath.IsAbs(entry) {
			continue
		}
		if rel, err := filepath.Rel(real, at); err == nil && filepath.IsLocal(rel) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(entry, name)); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

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

const (
	// waitForGit is how long git has to end after it was told to.
	waitForGit = time.Second
	// timeForGit is how long a command of git may take. An unpacked archive may bring a .git in
	// which some file is a pipe into which nobody writes.
	timeForGit = time.Minute
	// maxGitFile limits a file that git reads as a whole before it says anything.
	maxGitFile = 64 << 20
)

// Run runs git as Git prepares it, for at most a minute, and returns what it wrote to standard
// output and standard error.
func Run(ctx context.Context, dir string, args ...string) (stdout, stderr []byte, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, timeForGit, fmt.Errorf("git %s takes longer than %s: %w", args[0], timeForGit, context.DeadlineExceeded))
	defer stop()
	cmd, err := Git(ctx, dir, args...)
	if err != nil {
		return nil, nil, err
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err = cmd.Run(); err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out.Bytes(), errs.Bytes(), err
}

// Git prepares a git command for the repository around dir. git writes nothing (except with
// git config), asks nothing, does not use the network, and runs nothing that the repository
// configures: no monitors, hooks, pagers, filters, diff drivers or signature programs. Nor does
// it read the files that the configuration names, which may have no end. It is an error when
// git is not installed; a git inside dir does not count.
func Git(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	root := workTree(dir)
	program, err := lookUp("git", root)
	if err != nil {
		return nil, err
	}
	if err := plain(filepath.Join(root, ".git")); err != nil {
		return nil, err
	}
	var off, safe []string
	switch args[0] {
	case "diff":
		// In a submodule git would run what that configures: a submodule is compared by its commit.
		safe = []string{"--no-textconv", "--no-ext-diff", "--ignore-submodules=dirty", "--submodule=short", "-O" + os.DevNull}
	case "blame":
		safe = []string{"--no-textconv", "--no-ignore-revs-file"} // an empty setting would not keep git from reading the others
	case "check-attr":
	case "ls-files":
		if !configures(root, "excludesfile") {
			return command(ctx, program, dir, args), nil
		}
	default: // reads nothing of the work tree
		return command(ctx, program, dir, args), nil
	}
	if off, err = filesOff(ctx, program, dir); err != nil {
		return nil, err
	}
	return command(ctx, program, dir, slices.Concat(off, args[:1], safe, args[1:])), nil
}

// plain returns an error when a file that git reads as a whole is a device or huge, or a link to
// such a file: git would fill the memory before its time is over.
func plain(dir string) error {
	for _, name := range []string{"HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "info/attributes", "info/exclude", "info/grafts"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		st, err := os.Stat(file)
		switch {
		case err != nil || st.IsDir(): // git will say so
		case !st.Mode().IsRegular():
			return fmt.Errorf("let git read %s: it is not a regular file", file)
		case st.Size() > maxGitFile && name != "index" && name != "packed-refs":
			return fmt.Errorf("let git read %s: it has %d bytes, more than %d", file, st.Size(), maxGitFile)
		}
	}
	return nil
}

func command(ctx context.Context, program, dir string, args []string) *exec.Cmd {
	var all []string
	for _, setting := range []string{
		"core.fsmonitor=false", "core.untrackedCache=false", "core.hooksPath=" + os.DevNull,
		"diff.external=", "log.showSignature=false", "protocol.allow=never",
		"mailmap.file=", "i18n.logOutputEncoding=UTF-8",
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

// configures reports whether the repository's own configuration may set a key. It asks no
// git, which costs more than listing the files of most repositories does.
func configures(root, key string) bool {
	data, err := ReadRegular(filepath.Join(root, ".git", "config"), maxGitFile)
	text := strings.ToLower(string(data))
	return err != nil || strings.Contains(text, key) || strings.Contains(text, "include") || strings.Contains(text, "worktreeconfig")
}

// filesOff returns the arguments that switch off the filters and the files of attributes and
// of ignored files in the repository's own configuration. Those that the user configured
// stay, unless the repository names a file in place of theirs.
func filesOff(ctx context.Context, program, dir string) ([]string, error) {
	var off []string
	for _, scope := range []string{"--local", "--worktree"} {
		out, err := command(ctx, program, dir, []string{"config", scope, "--includes", "-z", "--name-only", "--get-regexp", `^(filter\.|core\.(attributes|excludes)file$)`}).Output()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // none, or not a repository, which the command itself will report
		}
		for key := range bytes.SplitSeq(bytes.TrimRight(out, "\x00"), []byte{0}) {
			if string(key) == "core.attributesfile" || string(key) == "core.excludesfile" {
				off = append(off, "-c", string(key)+"=")
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

// workTree returns the directory around dir that has a .git, without links, or dir.
func workTree(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	home, _ := os.UserHomeDir()
	for at := real; at != home && filepath.Dir(at) != at; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return real
}

// lookUp finds a program in PATH outside of root.
func lookUp(name, root string) (string, error) {
	for _, entry := range filepath.SplitList(os.Getenv("PATH")) {
		at, err := filepath.EvalSymlinks(entry)
		if err != nil || !filepath.IsAbs(entry) {
			continue
		}
		if rel, err := filepath.Rel(root, at); err == nil && filepath.IsLocal(rel) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(entry, name)); err == nil {
			return found, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

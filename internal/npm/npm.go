// Package npm installs packages of npm into a cache that any number of test
// processes share: one installs, the others wait and find it complete. It must not
// be used by anything that ships, and it does not know what the packages are for.
package npm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Install returns the directory of a package below cache, and installs it with the
// npm on PATH when it is not there. What is there is complete: it is installed into
// a temporary directory, which is renamed. The lock is the operating system's, so
// that one whose owner was killed is free.
func Install(ctx context.Context, cache, name, version string) (string, error) {
	dir := filepath.Join(cache, strings.NewReplacer("/", "+", "@", "").Replace(name)+"-"+version)
	pkg := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
	if installed(pkg) {
		return pkg, nil
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", fmt.Errorf("install %s: %w", name, err)
	}
	lock := flock.New(dir + ".lock")
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return "", fmt.Errorf("install %s: lock %s: %w", name, lock.Path(), err)
	}
	defer lock.Unlock()
	if installed(pkg) {
		return pkg, nil // by the one that had the lock before
	}
	if err := install(ctx, cache, dir, name+"@"+version); err != nil {
		return "", fmt.Errorf("install %s: %w", name, err)
	}
	if !installed(pkg) {
		return "", fmt.Errorf("install %s: npm left no %s", name, pkg)
	}
	return pkg, nil
}

// installed reports whether a package is where it belongs.
func installed(pkg string) bool {
	_, err := os.Stat(filepath.Join(pkg, "package.json"))
	return err == nil
}

// install makes dir, in which there is nothing but what was asked for.
func install(ctx context.Context, cache, dir, spec string) (err error) {
	tmp, err := os.MkdirTemp(cache, ".installing-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", tmp, "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--legacy-peer-deps", spec)
	cmd.Dir = tmp
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.RemoveAll(dir); err != nil { // left incomplete by something else
		return err
	}
	return os.Rename(tmp, dir)
}

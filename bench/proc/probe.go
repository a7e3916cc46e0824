//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// probe is a process that is started repeatedly.
type probe struct {
	name, ref string // ref is the name of its reference
	args      []string
	stdin     string // file to pipe in, "" for none
	agent     string // PI_CODING_AGENT_DIR
	fresh     bool   // use a new, empty agent directory for every start
	first     bool   // measure until the first byte of output, not until the end

	took []time.Duration
	peak int64 // maximum over all rounds, in bytes
}

// measure runs all probes in turn for a number of rounds, after one round to warm up.
func measure(l *lab, probes []*probe, rounds int) error {
	for i := range rounds + 1 {
		for _, p := range probes {
			took, peak, err := p.run(l)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if i > 0 {
				p.took, p.peak = append(p.took, took), max(p.peak, peak)
			}
		}
	}
	return nil
}

// run runs the process once.
func (p *probe) run(l *lab) (time.Duration, int64, error) {
	agent := p.agent
	if p.fresh {
		var err error
		if agent, err = os.MkdirTemp(l.dir, "agent-"); err != nil {
			return 0, 0, err
		}
		defer os.RemoveAll(agent)
	}
	cmd := l.command(agent, p.args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	if p.stdin != "" {
		in, err := os.Open(p.stdin)
		if err != nil {
			return 0, 0, err
		}
		defer in.Close()
		cmd.Stdin = struct{ io.Reader }{in} // hides the file, so that the process gets a pipe as from pi
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	var one [1]byte
	n, _ := io.ReadFull(out, one[:])
	first := time.Since(start)
	if _, err := io.Copy(io.Discard, out); err != nil {
		return 0, 0, err
	}
	err = cmd.Wait()
	whole := time.Since(start)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, complaint.Bytes())
	}
	if p.first && n == 0 {
		return 0, 0, fmt.Errorf("printed nothing: %s", complaint.Bytes())
	}
	if p.first {
		whole = first
	}
	return whole, peak(cmd.ProcessState), nil
}

// peak returns the peak memory of a process in bytes.
func peak(s *os.ProcessState) int64 {
	use, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(use.Maxrss)
	}
	return int64(use.Maxrss) * 1024
}

// command returns a command that runs in the lab's directory, outside any project.
func (l *lab) command(agent string, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "PI_CODING_AGENT_DIR="+agent, "PI_CODING_AGENT=", "PI_SESSION_ID=")
	return cmd
}

// bareLab returns a lab without programs and stores.
func bareLab(dir, pictx string) (*lab, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if pictx, err = filepath.Abs(pictx); err != nil {
		return nil, err
	}
	return &lab{
		dir: dir, root: root, pictx: pictx, hello: filepath.Join(dir, "hello"),
		small: filepath.Join(dir, "small"), large: filepath.Join(dir, "large"),
	}, nil
}

// newLab builds the reference programs and the stores.
func newLab(dir, pictx string) (*lab, error) {
	l, err := bareLab(dir, pictx)
	if err != nil {
		return nil, err
	}
	root := l.root
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"hello\\n\") }\n"), 0o600); err != nil {
		return nil, err
	}
	sessions := filepath.Join(dir, "sessions")
	if err := os.Mkdir(sessions, 0o700); err != nil {
		return nil, err
	}
	for i := range largeSessions {
		name := fmt.Sprintf("large-%02d", i)
		if err := writeSession(filepath.Join(sessions, name+".jsonl"), name, largeStore/largeSessions, messageSize); err != nil {
			return nil, err
		}
	}
	for _, cmd := range []*exec.Cmd{
		l.command("", "go", "build", "-o", l.hello, source),
		l.command(l.small, l.pictx, "import", filepath.Join(root, "testdata", "sessions")),
		l.command(l.large, l.pictx, "import", sessions),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", cmd, err, out)
		}
	}
	return l, os.RemoveAll(sessions)
}

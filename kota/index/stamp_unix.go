//go:build unix

package index

import (
	"io/fs"
	"math"

	"golang.org/x/sys/unix"
)

// root is an open directory. The system walks only the rest of the path of a file below it.
type root int

func openRoot(path string) (root, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	return root(fd), err
}

func (r root) close() { _ = unix.Close(int(r)) }

// stampOf returns the status of a regular file, an error for anything else.
func (r root) stampOf(name string) (stamp, error) {
	var st unix.Stat_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstatat(int(r), name, &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return stamp{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return stamp{}, fs.ErrInvalid
	}
	return stamp{st.Size, unix.TimespecToNsec(st.Mtim), unix.TimespecToNsec(st.Ctim)}, nil
}

// readInto reads a file into buf, grown as needed, and returns it. It calls the system directly
// instead of through os.File, because opening files takes most of the time of a search.
func readInto(path string, buf []byte) ([]byte, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return buf[:0], err
	}
	defer unix.Close(fd)
	buf = buf[:cap(buf)]
	if len(buf) == 0 {
		buf = make([]byte, 64<<10)
	}
	for n := 0; ; {
		k, err := retry(func() (int, error) { return unix.Read(fd, buf[n:min(len(buf), n+math.MaxInt32)]) })
		if err != nil || k == 0 {
			return buf[:n], err
		}
		if n += k; n > maxFile {
			return buf[:0], fs.ErrInvalid
		}
		if n == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// retry calls fn until no signal interrupts it.
func retry(fn func() (int, error)) (int, error) {
	for {
		n, err := fn()
		if err != unix.EINTR {
			return n, err
		}
	}
}

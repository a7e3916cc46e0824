//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestWhatATerminalShowsGoesThroughTheUsersPager(t *testing.T) {
	pager := filepath.Join(t.TempDir(), "pager")
	must.Do(t, os.WriteFile(pager, []byte("#!/bin/sh\necho paged with $1 $LESS\ncat\n"), 0o700))
	long := strings.Repeat("line\n", 30)
	for name, tt := range map[string]struct {
		env  map[string]string
		text string
		want string
	}{
		"long":                        {map[string]string{"PAGER": pager + " -x"}, long, "paged with -x FRX\n" + long},
		"ours goes before PAGER":      {map[string]string{"PAGER": "false", "PICTX_PAGER": pager + " -y", "LESS": "own"}, long, "paged with -y own\n" + long},
		"cat is none":                 {map[string]string{"PAGER": pager, "PICTX_PAGER": "cat"}, long, long},
		"one that is not there":       {map[string]string{"PAGER": "/no/such/pager"}, long, long},
		"a reader who leaves at once": {map[string]string{"PAGER": "true"}, strings.Repeat(long, 5000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			environ := os.Environ()
			for k, v := range tt.env {
				environ = append(environ, k+"="+v)
			}
			p := NewPager(&out, environ, func(k string) string { return tt.env[k] })
			for line := range strings.Lines(tt.text) {
				must.Get(p.Write([]byte(line)))(t)
			}
			p.Close()
			must.Not(t, out.String() != tt.want, "%.200q, want %.200q", out.String(), tt.want)
		})
	}
}

package care

import (
	"context"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/text"
)

// blobs checks the full text of results that were cut.
func (d *doctor) blobs(ctx context.Context) error {
	set, err := d.LoadSettings(d.Place)
	if err != nil {
		return err
	}
	c := set.Config.Blobs
	st := d.BlobCache(&set.Config, d.AgentDir)
	n, bytes, err := st.Usage()
	if err != nil {
		d.say("blobs", resultError, "", "%v", err)
		return nil
	}
	limit := ""
	if c.MaxBytes > 0 {
		limit = " of " + text.Bytes(int64(c.MaxBytes))
	}
	off := ""
	if !c.Enabled {
		off = ", and no more are kept"
	}
	line := d.say("blobs", resultOK, "", "%s, %s%s%s", text.Count(n, "blob"), text.Bytes(bytes), limit, off)
	if d.quick || n == 0 {
		return nil
	}
	bad := 0
	if _, err := st.Verify(ctx, func(blob.Finding) { bad++ }); err != nil {
		return err
	}
	if bad > 0 {
		line.Result, line.Hint = resultError, "pictx blobs verify"
		line.Message += ": " + text.Count(bad, "finding")
	}
	return nil
}

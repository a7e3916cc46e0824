package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

const (
	// statusCode is the key of the footer that says whether the project is indexed.
	statusCode = "pictx.kota"
	// kotaEntry is the type of the entries that remember what somebody answered.
	kotaEntry = "pictx.kota"
	// statusColumns is how wide the footer may be.
	statusColumns = 40
	// askIndex is the question before the first index.
	askIndex = "index"
)

// kotaData is the data of a kotaEntry.
type kotaData struct {
	Declined bool `json:"declined"`
}

// kotaStatus is the footer of a project.
func kotaStatus(code Code) Effect {
	state := "not indexed"
	if code.Indexed() {
		state = "indexed"
	}
	if process := code.Process(); process != "" {
		state += ", " + process
	}
	return Status(statusCode, statusLine(code.Repo(), state))
}

// statusLine is the text of the footer, in at most statusColumns columns.
func statusLine(repo, state string) string {
	room := statusColumns - len("kota  ") - len(state)
	repo = fence.OneLine(repo, 0)
	width := 0
	for i, r := range repo {
		w := 1
		if r >= 0x1100 { // may be wide
			w = 2
		}
		if width += w; width > room-1 && i+len(string(r)) < len(repo) || width > room {
			repo = repo[:i] + "…"
			break
		}
	}
	return "kota " + repo + " " + state
}

// agreed reports whether the first index may be made. When somebody was asked, there
// is no answer yet; when it may not be made, why says what the model is told.
// explicit is set when the index is what was asked for.
func (s Kota) agreed(ctx context.Context, c *Call, code Code, explicit bool) (why string, ok bool) {
	if !c.Project.Config().Config.Kota.ConfirmIndex {
		return "", true
	}
	if c.Nested || !c.HasUI {
		if explicit { // as at a shell without a terminal
			return "", true
		}
		return "this project is not indexed: call kota_index first", false
	}
	const declined = "the user does not want this project indexed in this session; use other tools (/kota index is theirs to type)"
	answer, asked := c.Answered(askIndex)
	if !asked {
		if s.declined(ctx, c) {
			return declined, false
		}
		c.Ask(indexQuestion(code))
		return "", false
	}
	if string(answer.Value) == "true" {
		return "", true
	}
	c.Add(AppendEntry(kotaEntry, kotaData{Declined: true}))
	return declined, false
}

// indexQuestion asks before the first index.
func indexQuestion(code Code) Ask {
	return Ask{
		ID: askIndex, Kind: AskConfirm, Title: "Index " + fence.OneLine(code.Repo(), 60) + "?",
		Message: "Reads every TypeScript and JavaScript file of the project. The index is kept outside of it, keeps itself up to date, and never leaves this machine.",
	}
}

// declined reports whether somebody said no in this session.
func (Kota) declined(ctx context.Context, c *Call) bool {
	said := false
	_ = eachCustom(ctx, c, kotaEntry, func(raw []byte, _ *message.Node) {
		var e struct {
			Data kotaData `json:"data"`
		}
		said = decode(raw, &e) == nil && e.Data.Declined
	})
	return said
}

// eachCustom calls fn with the custom entries of a type on the branch, in order.
func eachCustom(ctx context.Context, c *Call, kind string, fn func(raw []byte, n *message.Node)) error {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	tree := sess.Entries()
	for _, n := range tree.Path(leafOf(c, tree)) {
		if n.Type != message.EntryCustom || n.Message.CustomType != kind {
			continue
		}
		raw, err := sess.Line(n)
		if err != nil {
			return fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		fn(raw, n)
	}
	return nil
}

// indexed makes the index, or brings it up to date, and shows how far it is.
func indexed(ctx context.Context, code Code, push func(...Effect)) error {
	last := 0
	err := code.Index(ctx, func(percent int) {
		if percent >= last+5 {
			last = percent
			push(Status(statusCode, statusLine(code.Repo(), fmt.Sprintf("indexing %d%%", min(percent, 100)))))
		}
	})
	if last > 0 || err != nil {
		push(kotaStatus(code))
	}
	return err
}

// makeIndex is indexed while somebody waits for it. A dialog may have been open for
// long; what else wants the session meanwhile gets it.
func (s Kota) makeIndex(ctx context.Context, c *Call, code Code) error {
	c.Project.Close()
	err := indexed(ctx, code, c.Push)
	c.Add(kotaStatus(code))
	if err == nil {
		c.Decision = join(c.Decision, "indexed "+code.Repo())
	}
	return err
}

// tellIndexed says what an index holds.
func (s Kota) tellIndexed(ctx context.Context, c *Call, code Code) error {
	st, err := code.Status(ctx)
	if err != nil {
		return c.toolError(ctx, err)
	}
	c.Result().Text = "Indexed " + fenced(code.Repo()) + ".\n" + lines(st.Lines...)
	return nil
}

// verb runs /kota status, index and restart.
func (s Kota) verb(ctx context.Context, c *Call, verb string) error {
	if s.Here == nil || !s.Here() {
		c.say("There is no TypeScript or JavaScript in this project.", "info")
		return nil
	}
	code, err := s.Open(c.Request, c.Project.Config())
	if err != nil {
		return err
	}
	switch verb {
	case "index":
		return s.index(ctx, c, code)
	case "restart":
		text, err := code.Restart(ctx)
		if err != nil {
			c.say(fenced(err.Error()), "error")
			return nil
		}
		c.say(text, "info")
		return nil
	}
	return s.status(ctx, c, code)
}

// index runs /kota index. Who types it is asked all the same, once: it says what
// is read and where the index goes.
func (s Kota) index(ctx context.Context, c *Call, code Code) error {
	if !code.Indexed() && c.HasUI && !c.Nested && c.Project.Config().Config.Kota.ConfirmIndex {
		answer, asked := c.Answered(askIndex)
		if !asked {
			c.Ask(indexQuestion(code))
			return nil
		}
		if string(answer.Value) != "true" {
			c.say("Nothing was indexed.", "info")
			return nil
		}
	}
	if err := s.makeIndex(ctx, c, code); err != nil {
		text, level := fenced(err.Error()), "error"
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			text = fmt.Sprintf("It is not done within %.0f s. In a shell it takes as long as it needs: pictx kota index", askedTime.Seconds())
		}
		c.say(text, level)
		return nil
	}
	st, err := code.Status(ctx)
	if err != nil {
		return err
	}
	c.say("Indexed "+fenced(code.Repo())+".\n"+lines(st.Lines...), "info")
	return nil
}

// status runs /kota status.
func (s Kota) status(ctx context.Context, c *Call, code Code) error {
	st, err := code.Status(ctx)
	if err != nil {
		return err
	}
	set := c.Project.Config()
	text := []string{fenced(code.Repo()) + " is " + map[bool]string{true: "indexed.", false: "not indexed: /kota index does it."}[code.Indexed()]}
	text = append(text, "Engine: "+fenced(st.Engine), "Root: "+fenced(st.Root))
	if st.Index != "" {
		text = append(text, "Index: "+fenced(st.Index))
	}
	if st.Updated > 0 {
		text = append(text, "Last written: "+s.commands().ago(st.Updated)+".")
	}
	text = append(text, st.Lines...)
	for _, key := range []string{"kota.enabled", "kota.engine", "kota.auto_context", "kota.confirm_index", "kota.max_bytes"} {
		if v, err := set.Get(key); err == nil {
			text = append(text, strings.TrimSpace("  "+key+" = "+v.Text+"  ("+v.Origin.String()+")"))
		}
	}
	c.say(lines(text...), "info")
	return nil
}

// commands answers the other words of /kota.
func (s Kota) commands() KotaCommands { return KotaCommands{Prune: s.Prune, Blobs: s.Blobs, Kota: s} }

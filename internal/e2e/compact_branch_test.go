//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestASessionInMemoryIsCompactedToo(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, w := compactHome(t, version, transport)
		h.always().noSession = true
		p := h.start(t)
		p.talk(1, 8)
		p.compact()
		must.Stop(t, len(w.prompts()) == 0, "no summary was asked for")
		p.ask("Look.", use("lcm_describe", object{"section": "overview"}), say("seen"))
		found := latest(t, h.model)
		key := nodeKey.FindString(found)
		must.Stop(t, key == "", "lcm_describe names no summary: %s", found)
		p.ask("Read.", use("lcm_expand", object{"id": key}), say("read"))
		contains(t, "what lcm_expand says", latest(t, h.model), "question-1")
		contains(t, "the request", h.model.last(t).text(), "Summary number 1:")
		p.close()
		for _, name := range holding(t, h.agent, "Summary number 1:") {
			t.Errorf("%s still holds the session", name)
		}
	})
}

func TestTheShellAsksPiForSummaries(t *testing.T) {
	t.Parallel()
	eachConversation(t, 8, func(t *testing.T, c conversation) {
		h := c.h
		c.p.close()
		node, cli := piCommand(t, h.version)
		bin := filepath.Join(h.dir, "bin")
		must.Do(t, os.MkdirAll(bin, 0o755))
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$@\"\n", node, cli)
		must.Do(t, os.WriteFile(filepath.Join(bin, "pi"), []byte(script), 0o755))
		h.env = append(h.env, "PATH="+bin+":/usr/local/bin:/usr/bin:/bin")
		before := len(h.sessions(t))
		said := h.ok(t, "compact", "--yes", "--model", "nobody/nothing", "--model", "openai-local/scripted", h.session(t))
		contains(t, "what compact says", said, " 0 extracted")
		must.Stop(t, len(c.prompts()) == 0, "pi asked no model")
		for _, r := range c.asked {
			must.Not(t, len(r.Tools) > 0, "pi offered the tools %v", r.Tools)
		}
		contains(t, "the tree", h.ok(t, "tree", "--json"), `"model":"openai-local/scripted"`)
		wantCount(t, "sessions", len(h.sessions(t)), before)
	})
}

// Holds history 12.
func TestAnAbandonedBranchIsNotInTheSummary(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		h, w := compactHome(t, version, "serve")
		h.extensions = []string{helper(t)}
		p := h.start(t)
		p.talk(1, 8)
		p.moveTo("4")
		p.talk(20, 6)
		p.compact()
		all := strings.Join(w.prompts(), "\n")
		contains(t, "the prompts", all, "\nanswer-2. ")
		contains(t, "the prompts", all, "\nanswer-22. ")
		lacks(t, "the prompts hold the abandoned branch", all, "\nanswer-7. ")
		lacks(t, "the prompts hold the abandoned branch", all, "\nanswer-8. ")
		h.finds(t, "answer-7", 1)
		p.close()
	})
}

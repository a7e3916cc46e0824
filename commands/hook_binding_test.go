package commands

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheFirstPromptSaysWhatAModelThatBindsItsThinkingLimits(t *testing.T) {
	const seed = "The policy seed prunes before your prompts only: the thinking of this model would become invalid by a change inside a turn."
	const kota = "The policy kota prunes before your prompts only: the thinking of this model would become invalid by a change inside a turn."
	const pools = "The layout pools is replaced by inline: it changes every request, and the thinking of this model would become invalid."
	binds := map[string]any{"provider": "anthropic", "id": "claude-opus-5-5", "api": "anthropic-messages", "reasoning": true}
	plain := map[string]any{"provider": "deepseek", "id": "deepseek-chat", "api": "openai-completions"}
	for _, tt := range []struct {
		name, config string
		model        any
		first        bool
		want         []string
	}{
		{"the policy of the seed", "[prune]\npolicy = \"seed\"\n", binds, true, []string{seed}},
		{"the policy of kota", "[prune]\npolicy = \"kota\"\n", binds, true, []string{kota}},
		{"the layout", "[objects]\nlayout = \"pools\"\n", binds, true, []string{pools}},
		{"both", "[prune]\npolicy = \"seed\"\n[objects]\nlayout = \"pools\"\n", binds, true, []string{seed, pools}},
		{"the default settings", "", binds, true, nil},
		{"another prompt", "[prune]\npolicy = \"seed\"\n[objects]\nlayout = \"pools\"\n", binds, false, nil},
		{"a model that does not bind", "[prune]\npolicy = \"seed\"\n[objects]\nlayout = \"pools\"\n", plain, true, nil},
		{"pruning is off", "[prune]\nmode = \"off\"\npolicy = \"seed\"\n", binds, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newAgent(t)
			p.config(tt.config)
			leaf := p.marked("Hi")
			reply := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{"first": tt.first}, "model", tt.model)))
			var said []string
			for _, a := range reply.Effects {
				if slices.Contains([]string{seed, kota, pools}, a.Text) {
					said = append(said, a.Text)
				}
			}
			if diff := cmp.Diff(tt.want, said); diff != "" {
				t.Error(diff)
			}
		})
	}
}

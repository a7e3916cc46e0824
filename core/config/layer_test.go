package config

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestOriginsHaveNames(t *testing.T) {
	for origin, want := range map[Origin]string{
		{}:                             "default",
		{UserSeed, "/a/settings.json"}: "user settings.json /a/settings.json",
		{UserSeed, "/a/pi-kota.json"}:  "user pi-kota.json /a/pi-kota.json",
		{ProjectSeed, "/p/.pi/decision-memory.config.json"}: "project decision-memory.config.json /p/.pi/decision-memory.config.json",
		{Environment, "PICTX_TRUST"}:                        "environment PICTX_TRUST",
		{Flag, "prune.mode"}:                                "flag prune.mode",
		{Kind(-1), "x"}:                                     "unknown x",
		{Kind(99), ""}:                                      "unknown",
	} {
		must.Equal(t, origin.String(), want, "got")
	}
}

func TestKindsAreOrderedByStrength(t *testing.T) {
	order := []Kind{Default, UserSeed, User, ProjectSeed, Project, Environment, Flag}
	for i, k := range order {
		must.Equal(t, int(k), i, "%v has the place", k)
	}
}

func TestTheLaterOfTwoFilesOfAKindWins(t *testing.T) {
	r := Resolve(Input{Files: []Layer{{User, "a", []byte(`prune.mode = "off"`)}, {User, "b", []byte(`prune.mode = "manual"`)}}})
	if got := get(t, r, "prune.mode"); got.Origin.Path != "b" || r.Config.Prune.Mode != ModeManual {
		t.Errorf("got %+v", got)
	}
}

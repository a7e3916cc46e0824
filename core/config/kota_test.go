package config

import "testing"

func TestCodeSettingsAreReadFromBothFiles(t *testing.T) {
	r := Resolve(Input{Files: []Layer{
		{UserSeed, "/agent/pi-kota.json", []byte(`{"kota":{"autoContext":"onPaths","confirmIndex":false,"command":"bun"}}`)},
		{User, "/agent/pictx.toml", []byte("kota.max_bytes = 2000\n")},
		{Project, "/p/.pi/pictx.toml", []byte("kota.enabled = false\n")},
	}})
	got := r.Config.Kota
	if got.Enabled || got.AutoContext != ContextOnPaths || got.ConfirmIndex || got.MaxBytes != 2000 {
		t.Errorf("got %+v with %v", got, r.Warnings)
	}
	got = Resolve(Input{}).Config.Kota
	if !got.Enabled || got.AutoContext != ContextOff || !got.ConfirmIndex || got.MaxBytes != 5000 {
		t.Errorf("the defaults are %+v", got)
	}
}

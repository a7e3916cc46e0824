package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestParseSizeReadsEveryUnit(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "1": 1, "262144000": 262144000, "250MB": 250e6, "250 MB": 250e6, "250mb": 250e6, "250M": 250e6,
		"1.5GB": 15e8, "1GiB": 1 << 30, "2k": 2000, "2KiB": 2048, "0.5KB": 500, "7B": 7, " 3MB ": 3e6, "1TB": 1e12, "1024TiB": maxSize,
	} {
		got, err := ParseSize(text)
		if err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestParseSizeRefusesAnythingElse(t *testing.T) {
	for _, text := range []string{
		"", "MB", "-1", "+1", "1e3", "0x10", "250 megabytes", "1.5.2GB", "١", "1 2MB", "1025TiB", "9223372036854775807",
		"99999999999999999999", "1125899906842624.5TiB", "250MB;", "\x00",
	} {
		if n, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, n)
		}
	}
}

func TestSizesSurviveWritingAndReading(t *testing.T) {
	for n, want := range map[Size]string{
		0: "0", 1: "1", 999: "999", 250e6: "250MB", 262144000: "250MiB", 1000: "1KB", 1e9: "1GB", 1 << 30: "1GiB", 1_234_567: "1234567",
	} {
		must.Equal(t, n.String(), want, "%d is written", int64(n))
	}
	for _, n := range []Size{0, 1, 1023, 1024, 1025, 1536, 250e6, 1 << 40, maxSize, maxSize - 1} {
		if back, err := ParseSize(n.String()); err != nil || back != n {
			t.Errorf("%d is written %s and read back as %d, %v", int64(n), n, back, err)
		}
	}
}

func TestBlobSettingsAreReadFromBothFiles(t *testing.T) {
	toml := "blobs.max_bytes = \"1GiB\"\nblobs.dir = \"~/cache\"\nblobs.max_age_days = 3\n"
	r := Resolve(Input{Files: []Layer{
		{UserSeed, "/agent/pi-kota.json", []byte(`{"blobs":{"enabled":false,"maxBytes":262144000,"maxAgeDays":7,"dir":"/var/blobs"}}`)},
		{User, "/agent/pictx.toml", []byte(toml)},
	}})
	if want := (Blobs{false, "~/cache", 1 << 30, 3, []string{}}); !reflect.DeepEqual(r.Config.Blobs, want) || len(r.Warnings) != 0 {
		t.Errorf("got %+v with %v, want %+v", r.Config.Blobs, r.Warnings, want)
	}
	r = Resolve(Input{Files: []Layer{{UserSeed, "/agent/pi-kota.json", []byte(`{"blobs":{"maxBytes":262144000}}`)}}})
	if s, _ := r.Get("blobs.max_bytes"); s.Text != `"250MiB"` || s.Default {
		t.Errorf("pi-kota's size is shown as %s", s.Text)
	}
}

func TestAProjectCannotMoveOrGrowTheBlobs(t *testing.T) {
	for _, l := range []Layer{
		{Project, "/p/.pi/pictx.toml", []byte("blobs.dir = \"/tmp/x\"\nblobs.max_bytes = 0\nblobs.max_age_days = 0\nblobs.enabled = false\nblobs.tools = [\"*\"]\n")},
		{ProjectSeed, "/p/.pi/pi-kota.json", []byte(`{"blobs":{"dir":"/tmp/x","maxBytes":1,"maxAgeDays":0,"enabled":false}}`)},
	} {
		r := Resolve(Input{Files: []Layer{l}})
		must.Match(t, r.Config.Blobs, Resolve(Input{}).Config.Blobs, "%s changed the blobs", l.Path)
	}
}

func TestInvalidSizeOrDirectoryNamesTheKey(t *testing.T) {
	for _, text := range []string{
		"blobs.max_bytes = true", "blobs.max_bytes = \"lots\"", "blobs.max_bytes = -5", "blobs.max_bytes = 1.5",
		"blobs.dir = \"cache\"", "blobs.dir = 5", "blobs.dir = [\"/a\"]",
	} {
		r := Resolve(Input{Files: []Layer{{User, "pictx.toml", []byte(text)}}})
		key, _, _ := strings.Cut(text, " ")
		if len(r.Warnings) != 1 || r.Warnings[0].Key != key || !reflect.DeepEqual(r.Config.Blobs, Resolve(Input{}).Config.Blobs) {
			t.Errorf("%s: %v, %+v", text, r.Warnings, r.Config.Blobs)
		}
	}
}

func TestSizesAndDirectoriesCanBeTyped(t *testing.T) {
	for key, values := range map[string][]string{
		"blobs.max_bytes": {"250MB", "1.5 GiB", "0", "262144000"},
		"blobs.dir":       {"", "/var/blobs", "~/blobs", `""`},
	} {
		for _, v := range values {
			if err := Check(key, v); err != nil {
				t.Errorf("%s = %q: %v", key, v, err)
			}
		}
	}
	if Check("blobs.dir", "relative") == nil || Check("blobs.max_bytes", "-1") == nil {
		t.Error("a wrong value was accepted")
	}
}

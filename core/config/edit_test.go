package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestSetKeepsEverythingElse(t *testing.T) {
	tests := []struct{ name, text, key, value, want string }{
		{"empty file", "", "prune.mode", "off", "prune.mode = \"off\"\n"},
		{"empty file, top level key", "", "trust", "/a,~/b", "trust = [\"/a\", \"~/b\"]\n"},
		{"empty file, deep key", "", "prune.seed.minimum", "5", "prune.seed.minimum = 5\n"},
		{"byte order mark alone", "\ufeff", "prune.mode", "off", "\ufeffprune.mode = \"off\"\n"},
		{"byte order mark", "\ufeffprune.mode = \"manual\"\n", "prune.mode", "off", "\ufeffprune.mode = \"off\"\n"},
		{"same value", "prune.mode  =  'off' # x\n", "prune.mode", "off", "prune.mode  =  'off' # x\n"},
		{"trailing comment", "[prune]\n  mode = \"manual\"\t # why # not\n", "prune.mode", "off", "[prune]\n  mode = \"off\"\t # why # not\n"},
		{"windows line endings", "# a\r\n[prune]\r\nmode = \"manual\" # b\r\n\r\n", "prune.mode", "off", "# a\r\n[prune]\r\nmode = \"off\" # b\r\n\r\n"},
		{"insertion with windows line endings", "[prune]\r\nmode = \"manual\"\r\n", "prune.enabled", "no", "[prune]\r\nmode = \"manual\"\r\nenabled = false\r\n"},
		{"above other tables with windows line endings", "[history]\r\nenabled = true\r\n", "prune.enabled", "no", "prune.enabled = false\r\n[history]\r\nenabled = true\r\n"},
		{"no newline at the end", "[prune]\nmode = \"manual\"", "prune.enabled", "false", "[prune]\nmode = \"manual\"\nenabled = false"},
		{"new line, no newline at the end", "history.enabled = true", "prune.enabled", "false", "history.enabled = true\nprune.enabled = false"},
		{"end of the table, not of the file", "[prune]\nmode = \"manual\"\n\n# of history\n[history]\nenabled = true\n", "prune.enabled", "off", "[prune]\nmode = \"manual\"\nenabled = false\n\n# of history\n[history]\nenabled = true\n"},
		{"indentation of the table", "[prune]\n\tmode = \"manual\"\n", "prune.enabled", "off", "[prune]\n\tmode = \"manual\"\n\tenabled = false\n"},
		{"empty table", "[prune]\n[history]\n", "prune.enabled", "off", "[prune]\nenabled = false\n[history]\n"},
		{"dotted at the top", "prune.mode = \"manual\"\n\n[history]\n", "prune.enabled", "off", "prune.mode = \"manual\"\nprune.enabled = false\n\n[history]\n"},
		{"dotted in a table", "[prune]\nseed.protect = 1\nmode = \"manual\"\n", "prune.seed.minimum", "2", "[prune]\nseed.protect = 1\nmode = \"manual\"\nseed.minimum = 2\n"},
		{"dotted value in a table", "[prune]\nseed.minimum = 1 # c\n", "prune.seed.minimum", "2", "[prune]\nseed.minimum = 2 # c\n"},
		{"deeper key in the table that is there", "[prune]\nmode = \"manual\"\n", "prune.seed.minimum", "2", "[prune]\nmode = \"manual\"\nseed.minimum = 2\n"},
		{"nearest table", "[prune]\n[prune.seed]\nprotect = 1\n[history]\n", "prune.seed.minimum", "2", "[prune]\n[prune.seed]\nprotect = 1\nminimum = 2\n[history]\n"},
		{"table of a table only", "[prune.seed]\nprotect = 1\n\n[history]\n", "prune.mode", "off", "prune.mode = \"off\"\n[prune.seed]\nprotect = 1\n\n[history]\n"},
		{"quoted keys", "[\"prune\"]\n'mode' = \"manual\"\n", "prune.mode", "off", "[\"prune\"]\n'mode' = \"off\"\n"},
		{"escaped keys", "[\"pr\\u0075ne\"]\nmode = \"manual\"\n", "prune.mode", "off", "[\"pr\\u0075ne\"]\nmode = \"off\"\n"},
		{"spaces in keys", "[ prune . seed ]\n minimum\t= 1\n", "prune.seed.minimum", "2", "[ prune . seed ]\n minimum\t= 2\n"},
		{"list on many lines", "prune.seed.protected_tools = [\n  'a',\n  \"b]\",\n] # c\n", "prune.seed.protected_tools", "x", "prune.seed.protected_tools = [\"x\"] # c\n"},
		{"a key that looks like it in a string", "[other]\nx = \"\"\"\n[prune]\nmode = 1 # \\\"\"\"\n\"\"\"\n[prune]\nmode = \"manual\"\n", "prune.mode", "off", "[other]\nx = \"\"\"\n[prune]\nmode = 1 # \\\"\"\"\n\"\"\"\n[prune]\nmode = \"off\"\n"},
		{"quotes at the end of a string", "x = \"\"\"a\"\"\"\"\"\ny = '''b'''''\nprune.mode = \"manual\"\n", "prune.mode", "off", "x = \"\"\"a\"\"\"\"\"\ny = '''b'''''\nprune.mode = \"off\"\n"},
		{"the same name in a list of tables", "[[x]]\nmode = 1\n[x.prune]\nmode = 2\n", "prune.mode", "off", "prune.mode = \"off\"\n[[x]]\nmode = 1\n[x.prune]\nmode = 2\n"},
		{"the same name in a list", "x = [{prune = {mode = 1}}]\n", "prune.mode", "off", "x = [{prune = {mode = 1}}]\nprune.mode = \"off\"\n"},
		{"dates and floats beside it", "d = 1979-05-27 07:32:00Z # c\nf = 1.5\n[prune]\nmode = \"manual\"\n", "prune.mode", "off", "d = 1979-05-27 07:32:00Z # c\nf = 1.5\n[prune]\nmode = \"off\"\n"},
		{"wrong type", "prune.mode = [1, 2] # c\n", "prune.mode", "off", "prune.mode = \"off\" # c\n"},
		{"top level key before tables", "# Mine.\n\n# of prune\n[prune]\nmode = \"manual\"\n", "trust", "/a", "trust = [\"/a\"]\n# Mine.\n\n# of prune\n[prune]\nmode = \"manual\"\n"},
		{"top level key behind others", "a = 1\nb = {c = 1}\n\n[prune]\n", "trust", "/a", "a = 1\nb = {c = 1}\ntrust = [\"/a\"]\n\n[prune]\n"},
		{"top level key, no blank line", "[prune]\n", "trust", "/a", "trust = [\"/a\"]\n[prune]\n"},
		{"below its commented line", "# doc\n#prune.mode = \"auto\"\n\n# more\n#prune.policy = \"auto\"\n", "prune.mode", "off", "# doc\n#prune.mode = \"auto\"\nprune.mode = \"off\"\n\n# more\n#prune.policy = \"auto\"\n"},
		{"below its commented line in a table", "[prune]\n  # mode = \"auto\"\n  enabled = true\n", "prune.mode", "off", "[prune]\n  # mode = \"auto\"\n  mode = \"off\"\n  enabled = true\n"},
		{"commented line where the key cannot be", "#prune.mode = \"auto\"\n[prune]\nenabled = true\n", "prune.mode", "off", "#prune.mode = \"auto\"\n[prune]\nenabled = true\nmode = \"off\"\n"},
		{"commented line at the end of the file", "#prune.mode = \"auto\"", "prune.mode", "off", "#prune.mode = \"auto\"\nprune.mode = \"off\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Set([]byte(tt.text), tt.key, tt.value)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

// unusualMode is the error about a file that has prune.mode in a form that is not edited.
func unusualMode(line int) string {
	return fmt.Sprintf("edit prune.mode: %d: the file has a form that pictx does not edit; write prune.mode = \"off\" by hand", line)
}

func TestSetRefusesWhatItCannotDoSafely(t *testing.T) {
	tests := []struct{ name, text, key, value, want string }{
		{"unknown key", "", "prune.polcy", "auto", "find setting prune.polcy: unknown key; did you mean prune.policy?"},
		{"bad enum", "", "prune.mode", "manuall", `set prune.mode: expected one of auto, cold, manual, off, got "manuall"`},
		{"bad number", "", "prune.seed.minimum", "-1", `set prune.seed.minimum: expected a whole number from 0 to 1000000000, got "-1"`},
		{"bad list", "", "prune.seed.protected_tools", "a,,b", `set prune.seed.protected_tools: expected a list of names, got "a,,b"`},
		{"list that brings keys", "", "prune.seed.protected_tools", "[]\nx = 1", `set prune.seed.protected_tools: expected a list of names, got "[]\nx = 1"`},
		{"list that is none", "", "prune.seed.protected_tools", "[", `set prune.seed.protected_tools: expected a list of names, got "["`},
		{"list with a line ending", "", "prune.seed.protected_tools", `["a"] # c`, ""},
		{"bytes that are no text", "", "prune.seed.protected_tools", "a\xff", `set prune.seed.protected_tools: expected a list of names, got "a\xff"`},
		{"syntax error", "a = 1\nb = = 2\n", "prune.mode", "off", "edit prune.mode: 2:5: expected value but found '=' instead"},
		{"comments in the list", "prune.seed.protected_tools = [\n 'a', # because\n]\n", "prune.seed.protected_tools", "b", "edit prune.seed.protected_tools: 1: the file has a form that pictx does not edit; write prune.seed.protected_tools = [\"b\"] by hand"},
		{"table instead of a value", "[prune.mode]\nx = 1\n", "prune.mode", "off", unusualMode(1)},
		{"value instead of a table", "prune = 1\n", "prune.mode", "off", unusualMode(1)},
		{"list of tables", "[[prune]]\nmode = 1\n", "prune.mode", "off", unusualMode(2)},
		{"inline table", "prune = { enabled = true } # c\n", "prune.mode", "off", unusualMode(1)},
		{"key of an inline table", "prune = { mode = \"manual\" }\n", "prune.mode", "off", unusualMode(1)},
		{"number that is none beside it", "f = nan\nprune.mode = \"manual\"\n", "prune.mode", "off", unusualMode(2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Set([]byte(tt.text), tt.key, tt.value)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || err.Error() != tt.want || got != nil {
				t.Errorf("got %q, %v\nwant %s", got, err, tt.want)
			}
			var own *Error
			if !errors.As(err, &own) || !strings.HasPrefix(own.Hint(), "pictx config ") {
				t.Errorf("no hint with %v", err)
			}
		})
	}
}

func TestUnsetKeepsEverythingElse(t *testing.T) {
	tests := []struct {
		name, text, key, want string
		had                   bool
	}{
		{"not there", "a = 1 # b\n", "prune.mode", "a = 1 # b\n", false},
		{"line", "# a\n[prune]\nmode = \"off\"\nenabled = true\n", "prune.mode", "# a\n[prune]\nenabled = true\n", true},
		{"last line", "[prune]\nenabled = true\nmode = \"off\"", "prune.mode", "[prune]\nenabled = true\n", true},
		{"only line", "\ufeffprune.mode = \"off\"\r\n", "prune.mode", "\ufeff", true},
		{"comment behind it", "[prune]\n  mode = \"off\"  # because\n", "prune.mode", "[prune]\n  # because\n", true},
		{"lines", "[prune.seed]\nprotected_tools = [\n 'a',\n 'b'\n]\nminimum = 1\n", "prune.seed.protected_tools", "[prune.seed]\nminimum = 1\n", true},
		{"windows line endings", "[prune]\r\nmode = \"off\"\r\nenabled = true\r\n", "prune.mode", "[prune]\r\nenabled = true\r\n", true},
		{"dotted", "prune.seed.minimum = 1\n", "prune.seed.minimum", "", true},
		{"not a setting", "prune.polcy = 1\n", "prune.polcy", "", true},
		{"not a setting, quoted", "prune.\"a.b\" = 1\n", "prune.\"a.b\"", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, had, err := Unset([]byte(tt.text), tt.key)
			if err != nil || string(got) != tt.want || had != tt.had {
				t.Errorf("got %q, %t, %v\nwant %q", got, had, err, tt.want)
			}
		})
	}
}

func TestUnsetRefusesWhatItCannotDoSafely(t *testing.T) {
	tests := []struct{ name, text, key, want string }{
		{"unknown key that is not there", "", "prune.polcy", "find setting prune.polcy: unknown key; did you mean prune.policy?"},
		{"syntax error", "=", "prune.mode", "edit prune.mode: 1:1: unexpected '=': key name appears blank"},
		{"table", "[prune.mode]\nx = 1\n", "prune.mode", "edit prune.mode: 1: the file has a form that pictx does not edit"},
		{"inline table", "prune = { mode = \"off\" }\n", "prune.mode", "edit prune.mode: 1: the file has a form that pictx does not edit"},
		{"comments in the value", "prune.seed.protected_tools = [ # a\n]\n", "prune.seed.protected_tools", "edit prune.seed.protected_tools: 1: the file has a form that pictx does not edit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, had, err := Unset([]byte(tt.text), tt.key)
			if had || err == nil || err.Error() != tt.want {
				t.Errorf("got %t, %v\nwant %s", had, err, tt.want)
			}
		})
	}
}

func TestSetReadsValuesAsPeopleTypeThem(t *testing.T) {
	tests := []struct{ key, value, want string }{
		{"prune.enabled", " True ", "true"},
		{"prune.enabled", "off", "false"},
		{"prune.seed.minimum", "20_001", "20001"},
		{"prune.seed.protected_tools", " a , b ", `["a", "b"]`},
		{"prune.seed.protected_tools", `["a,b", 'c']`, `["a,b", "c"]`},
		{"prune.seed.prunable_tools", "", `[]`},
		{"prune.seed.protected_tools", "[\"q\\\"\\\\\\u001b\U0001f600\"]", "[\"q\\\"\\\\\\u001b\U0001f600\"]"},
	}
	for _, tt := range tests {
		after, err := Set(nil, tt.key, tt.value)
		if err != nil {
			t.Errorf("%s = %q: %v", tt.key, tt.value, err)
			continue
		}
		got := get(t, Resolve(Input{Files: files(map[Kind]string{User: string(after)})}), tt.key)
		if got.Text != tt.want || got.Origin.Kind != User {
			t.Errorf("%s = %q gives %s from %v", tt.key, tt.value, got.Text, got.Origin)
		}
	}
}

func TestSetThenUnsetRestoresTheDefaultFile(t *testing.T) {
	for _, k := range Keys() {
		set := must.Get(Set(DefaultFile(), k.Name, strings.Trim(k.Default, `"`)))(t)
		if want := "#" + k.Name + " = " + k.Default + "\n" + k.Name + " = " + k.Default + "\n"; !strings.Contains(string(set), want) {
			t.Errorf("%s is not below its commented line", k.Name)
		}
		back, had, err := Unset(set, k.Name)
		if err != nil || !had || string(back) != string(DefaultFile()) {
			t.Errorf("%s: %t %v", k.Name, had, err)
		}
	}
}

func TestAllKeysCanBeSetInOneFile(t *testing.T) {
	for _, start := range []string{"", string(DefaultFile()), "[history]\n", "[prune.seed]\n"} {
		text := []byte(start)
		for _, k := range Keys() {
			var err error
			if text, err = Set(text, k.Name, strings.Trim(k.Default, `"`)); err != nil {
				t.Fatalf("%q: %v in\n%s", start, err, text)
			}
		}
		r := Resolve(Input{Files: files(map[Kind]string{User: string(text)})})
		for _, v := range r.Values() {
			must.Equal(t, v.Origin.Kind, User, "%q: %s comes from %v", start, v.Key, v.Origin)
		}
	}
}

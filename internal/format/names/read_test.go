package names

import (
	"errors"
	"testing"
)

func TestReadFilename(t *testing.T) {
	for sent, want := range map[string]string{
		"a.js": "a.js", "./a.js": "a.js", "././a.js": "a.js", "/a.js": "a.js", "/js/a.js": "js/a.js", `js\a.js`: "js/a.js", `.\js\a.js`: "js/a.js", `\a.js`: "a.js",
		"/./a.js": "a.js", "/homepage.html": "homepage.html", "/tmpl/x": "tmpl/x", "home/user/x": "home/user/x", "./home/x": "home/x", "/users/x.json": "users/x.json",
	} {
		got, changed, err := ReadFilename(sent)
		if got != want || err != nil || changed != (sent != want) {
			t.Errorf("ReadFilename(%q) = %q, %v, %v; want %q", sent, got, changed, err, want)
		}
	}
}

func TestReadFilenameRefusesWhatHasNoOneReading(t *testing.T) {
	for _, sent := range []string{"", ".", "./", "/", `\`, "..", "../x", "/../x", "./../x", `..\x`, "//srv/x", `\\srv\x`, "/.//x", ".//x", "a//b", "a/./b", "a/", "file:///x", "my%20logo.png", "a.js?v=2"} {
		var refused *FilenameError
		if name, _, err := ReadFilename(sent); !errors.As(err, &refused) || refused.Root != "" {
			t.Errorf("ReadFilename(%q) = %q, %v", sent, name, err)
		}
	}
}

func TestReadFilenameSplitsAPathOfTheSendersMachine(t *testing.T) {
	for sent, want := range map[string][2]string{
		"/home/user/project/js/a.js":     {"/home/user/project", "js/a.js"},
		"/home/user/game.js":             {"/home/user", "game.js"},
		"/home/user":                     {"/home", "user"},
		"~/maze/a.js":                    {"~/maze", "a.js"},
		"/root/maze/js/a.js":             {"/root/maze", "js/a.js"},
		"/tmp/a.js":                      {"/tmp", "a.js"},
		"C:" + `\Users\kim\maze\js\a.js`: {"C:/" + "Users/kim/maze", "js/a.js"},
		`d:\maze\a.js`:                   {"d:/maze", "a.js"},
		"C:a.js":                         {"C:/", "a.js"},
		"/home/user/maze/my logo?.png":   {"/home/user/maze", "my logo-.png"},
	} {
		var refused *FilenameError
		_, _, err := ReadFilename(sent)
		if !errors.As(err, &refused) || refused.Root != want[0] || refused.Suggestion != want[1] {
			t.Errorf("ReadFilename(%q): %+v, want %q", sent, refused, want)
		}
	}
}

func TestLangOfLocales(t *testing.T) {
	for sent, want := range map[string]string{
		"de_DE.UTF-8": "de-DE", "de_DE.utf8": "de-DE", "pt_BR.ISO-8859-1": "pt-BR", "de_DE@euro": "de-DE", "fr_FR.UTF-8@euro": "fr-FR", "ja_JP.eucJP": "ja-JP",
		"C.UTF-8": "", "POSIX": "", "../": "", "en.US": "en", ".UTF-8": "",
	} {
		if got, changed, ok := Lang(sent); got != want || ok != (want != "") || !changed {
			t.Errorf("Lang(%q) = %q, %v, %v; want %q", sent, got, changed, ok, want)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestTheExampleOfAConfiguration(t *testing.T) {
	example := func(t *testing.T, args ...string) string {
		var out strings.Builder
		expect.OK(t, run(t.Context(), append([]string{"config", "example"}, args...), nil, &out, &out))
		return out.String()
	}
	try := func(t *testing.T, text string) error {
		path := filepath.Join(t.TempDir(), "sandlot.yaml")
		expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
		var out strings.Builder
		return run(t.Context(), []string{"config", "check", "--config", path, "--data", t.TempDir()}, nil, &out, &out)
	}

	t.Run("has every setting of serve as a comment", func(t *testing.T) {
		text := example(t)
		for name := range flagsOf(t, "serve") {
			if name != "help" && !strings.Contains(text, "\n#"+name+": ") {
				t.Errorf("it lacks %s", name)
			}
		}
		expect.OK(t, try(t, text))
	})
	t.Run("sets what its call sets, but no secret", func(t *testing.T) {
		text := example(t, "--data=/var/lib/sandlot", "--keep-versions=3", "--smtp-url=smtp://me:hunter2@mail.example.com")
		for _, line := range []string{`data: "/var/lib/sandlot"`, "keep-versions: 3", "#smtp-url: URL", "#base-url: URL"} {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("it lacks %s", line)
			}
		}
		if strings.Contains(text, "hunter2") {
			t.Error("it has the secret")
		}
	})
	t.Run("has lines that are right without their mark, where they show a default", func(t *testing.T) {
		text := example(t)
		for name, f := range flagsOf(t, "serve") {
			if f.HasDefault {
				text = strings.Replace(text, "\n#"+name+": ", "\n"+name+": ", 1)
			}
		}
		expect.OK(t, try(t, text))
	})
	t.Run("has no line over 100 characters but for one setting's", func(t *testing.T) {
		for line := range strings.Lines(example(t)) {
			if len(line) > exampleWidth+1 && !regexp.MustCompile(`^#?[a-z-]+: `).MatchString(line) {
				t.Error(line)
			}
		}
	})
}

func TestConfigGet(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		said string
	}{
		"a setting of the call":     {[]string{"base-url", "--base-url=https://play.example.com"}, 0, "https://play.example.com\n"},
		"a default":                 {[]string{"listen"}, 0, "127.0.0.1:8080\n"},
		"a setting that is not set": {[]string{"base-url"}, 4, "base-url is not set: add it to the file of --config, or set SANDLOT_BASE_URL"},
		"a secret, masked":          {[]string{"smtp-url", "--smtp-url=smtp://me:hunter2@mail.example.com"}, 0, "smtp://********@mail.example.com\n"},
		"no setting":                {[]string{"base-uri"}, 2, `there is no setting "base-uri"; sandlot serve --help lists all`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			code, err := 0, run(t.Context(), append([]string{"config", "get"}, c.args...), nil, &out, &out)
			if err != nil {
				code = exitCode(err)
				out.WriteString(err.Error())
			}
			expect.Equal(t, "code", code, c.code)
			expect.Equal(t, "output", out.String(), c.said)
		})
	}
}

func TestSecretsFromCredentials(t *testing.T) {
	folder := t.TempDir()
	get := func(env ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), []string{"config", "get", "smtp-url"}, append(env, "CREDENTIALS_DIRECTORY="+folder), &out, &out)
		return strings.TrimSpace(out.String()), err
	}
	path := filepath.Join(folder, "sandlot_smtp-url")

	t.Run("none is no error", func(t *testing.T) {
		_, err := get()
		expect.Is(t, "error", err, errNotSet)
	})
	t.Run("a file of systemd has the secret", func(t *testing.T) {
		expect.OK(t, os.WriteFile(path, []byte("smtp://me:hunter2@credential.example.com\n"), 0o600))
		got, err := get()
		expect.OK(t, err)
		expect.Equal(t, "value", got, "smtp://********@credential.example.com")
	})
	t.Run("a variable wins", func(t *testing.T) {
		got, err := get("SANDLOT_SMTP_URL=smtp://variable.example.com")
		expect.OK(t, err)
		expect.Equal(t, "value", got, "smtp://variable.example.com")
	})
	t.Run("an empty one is refused", func(t *testing.T) {
		expect.OK(t, os.WriteFile(path, []byte(" \n"), 0o600))
		_, err := get()
		if err == nil || !strings.HasSuffix(err.Error(), path+" is empty: write the secret into it, or remove it") {
			t.Error(err)
		}
	})
	t.Run("one of a setting that is no secret is not read", func(t *testing.T) {
		expect.OK(t, os.Remove(path))
		expect.OK(t, os.WriteFile(filepath.Join(folder, "sandlot_base-url"), []byte("https://play.example.com"), 0o600))
		var out strings.Builder
		err := run(t.Context(), []string{"config", "get", "base-url"}, []string{"CREDENTIALS_DIRECTORY=" + folder}, &out, &out)
		expect.Is(t, "error", err, errNotSet)
	})
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// configuration is what an operator gives the program. FOLDER in args, env and file is a folder of the test, in which the files lie; the data
// folder is below it unless args name another.
type configuration struct {
	name  string
	args  []string
	env   []string
	files map[string]string // by name; a name that ends with a slash is a folder
	says  string            // what the sentence has, or each of the warnings, separated by |
}

// outcome is how a command took a configuration.
type outcome struct {
	code     int
	sentence string
	warnings []string
	output   string
}

// try runs serve or config check on the configuration. A server that starts is stopped at once.
func (c configuration) try(t *testing.T, command ...string) outcome {
	t.Helper()
	folder := testenv.MemoryDir(t)
	if command[0] == "serve" {
		if err := os.Mkdir(filepath.Join(folder, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		testworld.EmptyDatabase.Lay(t, filepath.Join(folder, "data", databaseName))
	}
	for name, text := range c.files {
		path, isFolder := strings.CutSuffix(name, "/")
		path = filepath.Join(folder, path)
		write := func() error { return os.WriteFile(path, []byte(text), 0o600) }
		if isFolder {
			write = func() error { return os.Mkdir(path, 0o700) }
		}
		expect.OK(t, write())
	}
	in := func(texts []string) (all []string) {
		for _, text := range texts {
			all = append(all, strings.ReplaceAll(text, "FOLDER", folder))
		}
		return all
	}
	args, env := append(command, in(c.args)...), in(c.env)
	if command[0] == "serve" && !strings.Contains(fmt.Sprint(c), "listen") {
		env = append(env, "SANDLOT_LISTEN=127.0.0.1:0") // what is taken by mistake takes nobody's port
	}
	if !slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--data") }) {
		args = append(args, "--data="+filepath.Join(folder, "data"))
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var out bytes.Buffer
	log := &stopping{stop: stop}
	err := runAgain(ctx, args, env, &out, log)
	o := outcome{output: strings.ReplaceAll(out.String(), folder, "FOLDER")}
	if err != nil {
		o.code, o.sentence = exitCode(err), strings.ReplaceAll(err.Error(), folder, "FOLDER")
	}
	for _, found := range regexp.MustCompile(`(?m)^(?:# WARNING: (.*)|.*level=WARN msg="(.*)")$`).FindAllStringSubmatch(out.String()+log.text(), -1) {
		if strings.HasPrefix(found[2], "mail server cannot be reached") {
			continue // what is running says so, and no configuration
		}
		o.warnings = append(o.warnings, found[1]+found[2])
	}
	return o
}

// parsers are idle ones. Under the race detector, to make one takes longer than most runs.
var parsers = make(chan *kong.Kong, 8)

// runAgain is run, on a parser that others may have used before.
func runAgain(ctx context.Context, args, env []string, stdout, stderr io.Writer) (err error) {
	var parser *kong.Kong
	select {
	case parser = <-parsers:
	default:
		if parser, err = newParser(); err != nil {
			return err
		}
	}
	defer func() {
		select {
		case parsers <- parser:
		default:
		}
	}()
	return runOn(ctx, *parser, args, env, stdout, stderr)
}

// stopping is a log that ends the service once it listens.
type stopping struct {
	mu   sync.Mutex
	all  bytes.Buffer
	stop func()
}

func (s *stopping) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.Contains(p, []byte("msg=listening")) {
		s.stop()
	}
	return s.all.Write(p)
}

func (s *stopping) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// TestRegression23ServeAndConfigCheckRefuseTheSame walks all wrong configurations with both.
func TestRegression23ServeAndConfigCheckRefuseTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range wrongConfigurations() {
		t.Run(c.name, func(t *testing.T) {
			checked, served := c.try(t, "config", "check"), c.try(t, "serve")
			if checked.code != 2 || served.code != 2 {
				t.Errorf("the exit codes are %d and %d", checked.code, served.code)
			}
			if checked.sentence != served.sentence || !strings.Contains(checked.sentence, c.says) {
				t.Errorf("config check says\n%s\nserve says\n%s\nwanted\n%s", checked.sentence, served.sentence, c.says)
			}
			if strings.Contains(checked.sentence+served.sentence, "hunter2") {
				t.Error("the sentence has a secret")
			}
		})
	}
}

// TestRegression23ServeAndConfigCheckWarnOfTheSame walks configurations that can be served and may not be meant.
func TestRegression23ServeAndConfigCheckWarnOfTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range doubtfulConfigurations() {
		t.Run(c.name, func(t *testing.T) {
			checked, served := c.try(t, "config", "check"), c.try(t, "serve")
			if checked.code != 0 || served.code == 2 {
				t.Errorf("the exit codes are %d and %d: %s %s", checked.code, served.code, checked.sentence, served.sentence)
			}
			if !slices.Equal(checked.warnings, served.warnings) {
				t.Errorf("config check warns of\n%q\nserve of\n%q", checked.warnings, served.warnings)
			}
			want := strings.Split(c.says, "|")
			if c.says == "" {
				want = nil
			}
			if len(want) != len(checked.warnings) {
				t.Fatalf("warnings of %q, wanted %q", checked.warnings, want)
			}
			for i, w := range want {
				if !strings.Contains(checked.warnings[i], w) {
					t.Errorf("%q, wanted %q", checked.warnings[i], w)
				}
			}
		})
	}
}

// TestRegression23WhatIsPrintedCanBeReadBack: the output of config check is a configuration file that says the same.
func TestRegression23WhatIsPrintedCanBeReadBack(t *testing.T) {
	for name, args := range map[string][]string{
		"the defaults":     nil,
		"many settings":    {"--listen=127.0.0.1:0", "--base-url=https://play.example.com", "--content-host=example.net", "--cache-size=5M", "--account-bytes=10G", "--disk-limit=80", "--max-file-size=200000001", "--report-mail=me@example.com", "--security-contact=me@example.com", "--insecure-local"},
		"a strange folder": {"--data=FOLDER/x\ninsecure-local: true\nlog-level: \"debug\" \f\x1b[31m\u2028"},
		"quotes and signs": {`--mail-from="A \"#\" B: 'c'" <me@example.com>`},
	} {
		t.Run(name, func(t *testing.T) {
			first := configuration{args: append([]string{"--data=FOLDER/data"}, args...)}.try(t, "config", "check")
			again := configuration{args: []string{"--config=FOLDER/settings.yaml"}, files: map[string]string{"settings.yaml": first.output}}.try(t, "config", "check", "--data=FOLDER/data")
			strip := func(o outcome) string { // who has set a value differs, and where the folders of this test are
				text := regexp.MustCompile(`(?m)^([a-z].*?) +# .*$`).ReplaceAllString(o.output, "$1")
				text = regexp.MustCompile(`(?m)^.*FOLDER.*$`).ReplaceAllString(text, "")
				return regexp.MustCompile(` +`).ReplaceAllString(text, " ")
			}
			if got, want := strip(again), strip(first); got != want || first.code != 0 {
				t.Errorf("%s printed\n%s\nwhich says\n%s %s", first.sentence, want, got, again.sentence)
			}
		})
	}
}

// TestRegressionM44ConfigCheckPrintsEveryFlagOfServe: its output is a configuration file, which loses none.
func TestRegressionM44ConfigCheckPrintsEveryFlagOfServe(t *testing.T) {
	flag := regexp.MustCompile(`(?m)^ +(?:-\w, )?--(?:\[no-\])?([a-z-]+)`)
	help := configuration{}.try(t, "serve", "--help").output
	printed := configuration{args: []string{"--data=FOLDER/data"}}.try(t, "config", "check").output
	found := flag.FindAllStringSubmatch(help, -1)
	if len(found) < 30 {
		t.Fatalf("the help has %d flags:\n%s", len(found), help)
	}
	for _, f := range found {
		if name := f[1]; !slices.Contains([]string{"help", "version", "config"}, name) && !regexp.MustCompile(`(?m)^(# )?`+name+`: `).MatchString(printed) {
			t.Errorf("--%s is not printed", name)
		}
	}
}

// TestRegression23WhatIsInForceIsTold: derived values, and the sources of the others.
func TestRegression23WhatIsInForceIsTold(t *testing.T) {
	public := configuration{
		args: []string{"--listen=:8080"}, env: []string{"SANDLOT_BASE_URL=https://Play.Example.com:443/", "SANDLOT_CONFIG=FOLDER/c.yaml"},
		files: map[string]string{"c.yaml": "content-host: example.net\ncache-size: 3 mb\n"},
	}
	two := configuration{args: []string{"--config=FOLDER/a.yaml", "--config", "FOLDER/b.yaml"}, files: map[string]string{
		"a.yaml": "listen: 127.0.0.1:1", "b.yaml": "listen: 127.0.0.1:2",
	}}
	over := configuration{
		args: []string{"--listen=127.0.0.1:3", "--config=FOLDER/c.yaml"}, env: []string{"SANDLOT_LISTEN=127.0.0.1:2"},
		files: map[string]string{"c.yaml": "listen: 127.0.0.1:1"},
	}
	secret := configuration{
		env: []string{"SANDLOT_SMTP_URL_FILE=FOLDER/s"}, files: map[string]string{"s": "\n smtp://me:hunter2@mail.example.com \n"},
		args: []string{"--database-url=postgres://me:hunter2@db.example.com/sandlot"},
	}
	for name, tc := range map[string]struct {
		configuration
		lines []string
	}{
		"the defaults": {configuration{}, []string{
			`listen: "127.0.0.1:8080" # default`,
			`# base-url: "http://localhost:8080" # not set`,
			`# content-host: "localhost:8080" # not set`,
			`path-form: "auto" # default; on`,
			`quarantine: "auto" # default; off`,
			`# database-url: "" # not set`,
			`# mail-from: "sandlot@localhost" # not set`,
			`limits: "auto" # default; off`,
			`# limit: accounts=60/h:20,writes=3600/h:1000,bytes=8GiB/h:6GiB,mails=20/h:20,wrong-keys=30/m:30,heartbeats=1200/m:600,` +
				`reports=20/h:10,likes=1200/h:120,searches=3600/h:120,downloads=120/h:20,` +
				`player-reads=2400/m:1200,player-writes=1200/m:600,player-reports=600/h:120,bodies=4,connections=1024,archives=1,uploads=auto # not set`,
			`# disk-limit: 100 # not set`,
			`# links begin with http://localhost:8080, those of projects with http://PROJECT.localhost:8080/`,
		}},
		"any port": {configuration{args: []string{"--listen=localhost:0"}}, []string{`# base-url: "http://localhost:PORT" # not set`}},
		"a public instance": {public, []string{
			`listen: ":8080" # --listen`,
			`base-url: "https://Play.Example.com:443/" # SANDLOT_BASE_URL`,
			`content-host: "example.net" # FOLDER/c.yaml`,
			`path-form: "auto" # default; off`,
			`quarantine: "auto" # default; on`,
			`cache-size: 3MiB # FOLDER/c.yaml`,
			`limits: "auto" # default; on`,
			`# disk-limit: 95 # not set`,
			`# links begin with https://play.example.com, those of projects with https://PROJECT.example.net/`,
		}},
		"an IP address": {configuration{args: []string{"--base-url=http://192.168.0.9:8080"}}, []string{`# content-host: "none" # not set`}},
		"secrets": {secret, []string{
			`smtp-url: "smtp://********@mail.example.com" # SANDLOT_SMTP_URL_FILE`,
			`database-url: "postgres://********@db.example.com" # --database-url`,
		}},
		"a flag wins over all": {over, []string{`listen: "127.0.0.1:3" # --listen`}},
		"the last file counts": {two, []string{`listen: "127.0.0.1:2" # FOLDER/b.yaml`}},
	} {
		t.Run(name, func(t *testing.T) {
			o := tc.try(t, "config", "check")
			text := regexp.MustCompile(` +`).ReplaceAllString(o.output, " ")
			for _, line := range tc.lines {
				if !strings.Contains("\n"+text, "\n"+line+"\n") {
					t.Errorf("there is no line\n%s\nin\n%s%s", line, text, o.sentence)
				}
			}
		})
	}
}

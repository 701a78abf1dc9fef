package deploy

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// A walk runs the commands of one case of docs/book/night.md, in a shell where the names of the page are those of the test.
type walk struct {
	home     string
	settings []string          // of sandlot, as variables
	names    []string          // pairs: how the page calls it, what it is here
	curl     []string          // lines for curl
	units    map[string]func() // by /VERB/UNIT, what systemctl, apt and certbot do; called by the goroutine of the test
}

// walked finds the commands of a case, each with what they print. Commands that are not for a test have no "walk" behind console.
var walked = regexp.MustCompile("(?ms)^```console walk\n(.*?)^```\n\n```text\n(.*?)^```")

// run runs the commands of the case with that heading, and compares what they print.
func (w *walk) run(t *testing.T, heading string) {
	t.Helper()
	testenv.Need(t, "curl", "bash")
	text, err := os.ReadFile("../../docs/book/night.md")
	expect.OK(t, err)
	_, rest, found := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	blocks := walked.FindAllStringSubmatch(section, -1)
	if !found || len(blocks) == 0 {
		t.Fatalf("the page has no commands for %q", heading)
	}
	w.prepare(t)
	here := strings.NewReplacer(w.names...)
	for _, block := range blocks {
		w.compare(t, here.Replace(block[2]), w.paste(t, here.Replace(block[1])))
	}
}

// prepare makes a home with what curl has to know, and a folder of programs: sandlot, and what plays systemd, apt and certbot.
func (w *walk) prepare(t *testing.T) {
	t.Helper()
	w.home = t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(w.home, ".curlrc"), []byte(strings.Join(w.curl, "\n")+"\n"), 0o600))
	expect.OK(t, os.Symlink(testenv.Binary(t), filepath.Join(w.home, "sandlot")))
	for name, script := range map[string]string{
		"systemctl": `curl -sf "http://$SYSTEMD/$1/$2"`, "journalctl": "true",
		"apt": `curl -sf "http://$SYSTEMD/$1/$(basename "$4")"`, "certbot": `curl -sf "http://$SYSTEMD/$1/certificate"`,
	} {
		expect.OK(t, os.WriteFile(filepath.Join(w.home, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
}

// paste runs commands in one shell and returns what they print. A command that fails ends it, and the test.
func (w *walk) paste(t *testing.T, commands string) string {
	t.Helper()
	asked, done := make(chan string), make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	defer l.Close()
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // until it is closed
			asked <- r.URL.Path
			<-done
		}))
	}()
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = w.home
	cmd.Env = append(os.Environ(), append(w.settings, "HOME="+w.home, "CURL_HOME="+w.home, "SYSTEMD="+l.Addr().String(),
		"PATH="+w.home+":"+os.Getenv("PATH"))...)
	var out []byte
	ended := make(chan struct{})
	go func() {
		out, err = cmd.CombinedOutput()
		close(ended)
	}()
	for {
		select {
		case unit := <-asked:
			if act := w.units[unit]; act != nil {
				act()
			} else {
				t.Errorf("%s is not for this case", unit)
			}
			done <- struct{}{}
		case <-ended:
			expect.OK(t, err, fmt.Sprintf("%s\n", out))
			return string(out)
		}
	}
}

// compare finds each line of the page in what was printed, in that order. Three dots stand for anything.
func (w *walk) compare(t *testing.T, want, got string) {
	t.Helper()
	lines := strings.Split(got, "\n")
	for line := range strings.Lines(want) {
		line = strings.TrimSpace(line)
		pattern := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".*"))
		at := 0
		for at < len(lines) && !pattern.MatchString(lines[at]) {
			at++
		}
		if at == len(lines) {
			t.Fatalf("the page shows %q, which is not printed, or not in this order:\n%s", line, got)
		}
		lines = lines[at+1:]
	}
}

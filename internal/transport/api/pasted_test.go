package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// aCommand matches what a shell would run, where prose must not have it.
var aCommand = regexp.MustCompile(`(?m)^(?:curl|split|set|base64)\b|\b(?:curl|split) -|\bcurl https?:|[|;] ?tr `)

// tidy checks that a hint is prose, and then commands on lines of their own, and
// returns these.
func tidy(t *testing.T, hint string) []string {
	t.Helper()
	hint = testenv.AsCurl(hint)
	lines := shellLines(t, hint)
	prose := hint
	for _, line := range lines {
		prose = strings.Replace(prose, line, "", 1)
	}
	if found := aCommand.FindString(prose); found != "" {
		t.Errorf("%q stands in the prose: %s", found, hint)
	}
	if strings.TrimSpace(prose) == "" {
		t.Errorf("no word to the commands: %s", hint)
	}
	return lines
}

// refusedUnfilled runs a command once for each of its placeholders with all others
// filled in: it must be refused, and change nothing. A world does so once for each
// placeholder of a call.
func (s *shell) refusedUnfilled(line string) {
	s.t.Helper()
	last := s.last
	defer func() { s.last = last }()
	for _, name := range slices.Compact(slices.Sorted(slices.Values(placeholders.FindAllString(line, -1)))) {
		call := name + " in " + strings.Join(strings.Fields(line)[:2], " ")
		if s.w.unfilled[call] {
			continue
		}
		s.w.unfilled[call] = true
		s.w.unchanged(func() {
			statuses, err := s.run(s.filled(line, name))
			if err == nil && (len(statuses) == 0 || slices.ContainsFunc(statuses, func(status string) bool { return status[0] < '4' && status != "000" })) {
				s.t.Errorf("with %s unfilled it gets %v: %s", name, statuses, line)
			}
		})
	}
}

// follow runs every command of a hint, first with what it leaves open and then filled
// in: the one must be refused, and the other succeed.
func (s *shell) follow(hint string) {
	s.t.Helper()
	lines := tidy(s.t, hint)
	if len(lines) == 0 {
		s.t.Fatalf("nothing to paste: %s", hint)
	}
	for _, line := range lines {
		s.refusedUnfilled(line)
		s.succeeds(line)
	}
}

// filled puts in place of each placeholder, but for one, what stands for it: what the
// last answer says under its name, or what the test says.
func (s *shell) filled(line, but string) string {
	line = placeholders.ReplaceAllStringFunc(line, func(name string) string {
		if name == but {
			return name
		}
		if part, ok := strings.CutPrefix(name, "<file with part "); ok {
			return "piece" + strings.TrimSuffix(part, ">")
		}
		if file, ok := strings.CutPrefix(name, sandlot.PlaceholderText); ok {
			text, err := os.ReadFile(filepath.Join(s.dir, strings.TrimSuffix(file, ">")))
			if err != nil || strings.ContainsAny(string(text), "\"'\\\n") {
				return "<!doctype html><p>filled in"
			}
			return string(text)
		}
		if v, ok := s.last[strings.Trim(name, "<>")].(string); ok && v != "" {
			return v
		}
		if v, ok := s.fill[name]; ok {
			return v
		}
		return name
	})
	return strings.ReplaceAll(line, testworld.Places().Base.String(), s.w.server.URL)
}

// run gives a command to bash. It returns the status of every call in it, 000 where
// there was none, and keeps the last answer.
func (s *shell) run(line string) (statuses []string, err error) {
	cmd := exec.CommandContext(s.t.Context(), "bash", "-c", "curl() { command curl -sS -w '%{stderr}%{http_code}\\n' \"$@\"; }\n"+line)
	cmd.Dir = s.dir
	var out, status bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &status
	if err = cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, status.String())
	}
	// The last answer of several is the one that counts.
	if strings.HasPrefix(out.String(), "{") {
		dec := json.NewDecoder(strings.NewReader(out.String()))
		for answer := (obj{}); dec.Decode(&answer) == nil; answer = (obj{}) {
			s.last = answer
		}
	}
	return strings.Fields(status.String()), nil
}

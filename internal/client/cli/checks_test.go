package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// A tester is a server whose play-tester opens version 1 of a-b after some calls.
type tester struct {
	rounds int      // calls until it was opened
	asked  []string // the queries of the calls, with their keys
	state  string   // of the answer to a publish
	checks string   // the answer once it was opened
}

func (s *tester) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"project_id":"a-b","version":1,"url":"http://a-b.localhost","project_api_key":%q,"checks":{"state":%q}}`, projectKeyText, s.state)
		return
	}
	s.asked = append(s.asked, r.URL.RawQuery+" "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	if len(s.asked) <= s.rounds {
		fmt.Fprint(w, `{"project_id":"a-b","version":1,"state":"waiting","ahead":2}`)
		return
	}
	fmt.Fprint(w, s.checks)
}

const (
	brokenChecks = `{"project_id":"a-b","version":1,"state":"done","reason":null,"ahead":null,"checked":{"version":1,"at":"2026-09-03T10:10:20Z","moved":false,` +
		`"first_paint_ms":240,"errors":["Reference\u001b[31mError: levels"],"failed_requests":[{"path":"/levels/1.json","status":404}],"other_hosts":["cdn.example.com"],` +
		`"findings":[{"code":"script_error","message":"The page reported an error.","hint":"Mend the scripts."},{"code":"nothing_moved","message":"Nothing moved.","hint":"Say so."}]},` +
		`"cover_findings":[{"source":"cover","filename":"cover.png","message":"It is not a picture."}]}`
	soundChecks = `{"project_id":"a-b","version":1,"state":"done","checked":{"version":1,"at":"2026-09-03T10:10:20Z","moved":true,"findings":[{"code":"another_host","message":"M.","hint":"H."}]}}`
	offChecks   = `{"project_id":"a-b","version":1,"state":"off","reason":"This service does not open projects by itself.","checked":null,` +
		`"warnings":[{"code":"missing_file","message":"index.html loads a.js.","hint":"Send it with update:\ncurl x"}]}`
)

// TestChecksPrintsWhatThePlayTesterSaw, and its exit code says whether the current version is broken.
func TestChecksPrintsWhatThePlayTesterSaw(t *testing.T) {
	for name, c := range map[string]struct {
		checks string
		exit   int
		says   []string
	}{
		"broken": {brokenChecks, 10, []string{
			"state        done\n", "moved        no\n", "painted      after 240 ms\n", "error        ReferenceError: levels\n", "failed       404 /levels/1.json\n", "other host   cdn.example.com\n",
			"finding      script_error: The page reported an error.\n             Mend the scripts.\n", "finding      nothing_moved: Nothing moved.\n", "cover        cover.png: It is not a picture.\n",
		}},
		"sound":                                 {soundChecks, 0, []string{"opened       version 1, 20", "moved        yes\n", "finding      another_host: M.\n"}},
		"without a play-tester":                 {offChecks, 0, []string{"state        off\n", "reason       This service does not", "finding      missing_file: index.html loads a.js.\n"}},
		"of the version before":                 {strings.Replace(brokenChecks, `"version":1,"state":"done"`, `"version":2,"state":"waiting"`, 1), 0, []string{"opened       version 1, 20", "before it    0 versions\n"}},
		"of a version that could not be opened": {strings.Replace(brokenChecks, `"done","reason":null`, `"failed","reason":"It broke off."`, 1), 0, []string{"reason       It broke off.\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &tester{checks: c.checks}
			d := newDesk(t, map[string]string{keyVariable: projectKeyText})
			err := (&checksCommand{Project: "a-b", target: target{host: host{Server: answers(t, s.ServeHTTP)}}}).Run(t.Context(), d.Env)
			code, _ := ExitCode(err)
			if err == nil {
				code = 0
			}
			expect.Equal(t, "the exit code", code, c.exit)
			for _, want := range c.says {
				expect.Contains(t, "what is printed", d.out.String(), want)
			}
			expect.Equal(t, "calls", strings.Join(s.asked, ","), "wait=0 "+projectKeyText)

			e := newDesk(t, map[string]string{keyVariable: projectKeyText})
			_ = (&checksCommand{target: target{host{answers(t, s.ServeHTTP), true}, "a-b"}}).Run(t.Context(), e.Env)
			expect.Equal(t, "the answer for a program", e.out.String(), c.checks+"\n")
		})
	}
}

// TestChecksWait until the version was opened, and give up after five minutes with the exit code of "try again later".
func TestChecksWait(t *testing.T) {
	s := &tester{rounds: 2, checks: soundChecks}
	d := newDesk(t, map[string]string{keyVariable: projectKeyText})
	command := checksCommand{Wait: true, target: target{host{Server: answers(t, s.ServeHTTP)}, "a-b"}}
	expect.OK(t, command.Run(t.Context(), d.Env))
	expect.Equal(t, "calls", strings.Join(s.asked, ","), strings.Repeat("wait=20 "+projectKeyText+",", 2)+"wait=20 "+projectKeyText)
	for _, rest := range d.waited {
		expect.Equal(t, "that an early answer asks no sooner again", rest > 15e9 && rest <= trialRound, true)
	}

	s = &tester{rounds: 100}
	command.Server = answers(t, s.ServeHTTP)
	err := command.Run(t.Context(), d.Env)
	code, _ := ExitCode(err)
	expect.Equal(t, "the exit code", code, 7)
	expect.Contains(t, "the error", err.Error(), "version 1 of a-b was not opened within 5m0s")
	expect.Equal(t, "calls", len(s.asked), trialRounds)
}

// TestAPublishPrintsWhatThePlayTesterFindsSoon, and ends well whatever it finds.
func TestAPublishPrintsWhatThePlayTesterFindsSoon(t *testing.T) {
	const later = "\n    sandlot checks --wait"
	for name, c := range map[string]struct {
		state  string
		server tester
		run    publishCommand
		calls  int
		says   string
	}{
		"a finding":             {"waiting", tester{checks: brokenChecks}, publishCommand{}, 1, "the play-tester opened version 1:\nwarning: The page reported an error.\n         Mend the scripts.\n"},
		"nothing wrong":         {"running", tester{checks: strings.Replace(soundChecks, `{"code":"another_host","message":"M.","hint":"H."}`, "", 1)}, publishCommand{}, 1, "the play-tester opened version 1, and found nothing wrong\n"},
		"not soon enough":       {"waiting", tester{rounds: 100}, publishCommand{}, 1, later},
		"not at all":            {"waiting", tester{checks: `{"version":1,"state":"failed","reason":"It broke off."}`}, publishCommand{}, 1, "version 1 was not opened. It broke off.\n"},
		"no answer":             {"waiting", tester{checks: "<h1>"}, publishCommand{}, 1, later},
		"another version":       {"waiting", tester{checks: strings.Replace(soundChecks, `"version":1`, `"version":2`, 1)}, publishCommand{}, 1, later},
		"without a wait":        {"waiting", tester{checks: brokenChecks}, publishCommand{NoWait: true}, 0, ""},
		"for a program":         {"waiting", tester{checks: brokenChecks}, publishCommand{target: target{host: host{JSON: true}}}, 0, ""},
		"without a play-tester": {"off", tester{}, publishCommand{}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, server := newDesk(t, nil), c.server
			server.state = c.state
			expect.OK(t, os.WriteFile("a.html", []byte("<h1>A"), 0o600))
			run := c.run
			run.Path, run.Email, run.Server = "a.html", "me@example.com", answers(t, server.ServeHTTP)
			expect.OK(t, run.Run(t.Context(), d.Env))
			expect.Equal(t, "calls", len(server.asked), c.calls)
			expect.Contains(t, "what is said", d.err.String(), c.says)
			if c.calls > 0 {
				expect.Equal(t, "the call", server.asked[0], "wait=20 "+projectKeyText)
			} else {
				expect.Equal(t, "what is said", strings.Contains(d.err.String(), "play-tester"), false)
			}
		})
	}
}

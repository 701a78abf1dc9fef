package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"sandlot/internal/testkit/expect"
)

// A tty is a terminal, and what is seen on it.
type tty struct {
	*os.File          // where a program reads and writes
	person   *os.File // where its user does
	seen     strings.Builder
	done     chan struct{}
}

func openTTY(t *testing.T, columns int) *tty {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	expect.OK(t, err)
	expect.OK(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	expect.OK(t, err)
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	expect.OK(t, err)
	expect.OK(t, unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}))
	p := &tty{File: program, person: person, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_, _ = io.Copy(&p.seen, person) // it ends with an error when the program's side is closed
	}()
	return p
}

// screen is everything that was written, once the program has ended.
func (p *tty) screen() string {
	_ = p.File.Close()
	<-p.done
	_ = p.person.Close()
	return p.seen.String()
}

// inParts is a server that takes uploads, of which it has nothing at first.
func inParts(t *testing.T) string {
	return answers(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ParseMultipartForm(partSize+1<<20) == nil {
			switch r.FormValue("part") {
			case "1":
				w.WriteHeader(http.StatusAccepted)
				fmt.Fprint(w, `{"upload_id":"random","received_count":1,"missing_parts":[2]}`)
				return
			case "2":
				w.WriteHeader(http.StatusCreated)
				fmt.Fprintf(w, `{"project_id":"a-1","version":1,"project_api_key":%q,"handle":"ada"}`, projectKeyText)
				return
			}
		}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, `{"upload_id":"random"}`)
	})
}

// acts matches what moves the cursor, or sets a colour.
var acts = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]|\r[^\n]")

func TestATerminalHasABarThatFitsAndAllElseHasLines(t *testing.T) {
	server := inParts(t)
	for name, c := range map[string]struct {
		columns int // 0: a pipe
		vars    map[string]string
		bar     bool
	}{
		"a wide terminal":       {120, nil, true},
		"a terminal":            {80, nil, true},
		"one of 79":             {79, nil, true},
		"one of 40":             {40, nil, true},
		"one of 20":             {20, nil, true},
		"one of 19":             {19, nil, false},
		"one without colours":   {80, map[string]string{"NO_COLOR": "1"}, true},
		"one that is dumb":      {80, map[string]string{"TERM": "dumb"}, false},
		"one that nobody reads": {80, map[string]string{"CI": "true"}, false},
		"a pipe":                {0, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			vars := map[string]string{keyVariable: accountKeyText, "TERM": "xterm-256color"}
			for name, value := range c.vars {
				vars[name] = value
			}
			d := newDesk(t, vars)
			expect.OK(t, os.WriteFile("a.html", make([]byte, wholeMax+1), 0o600))
			seen := func() string { return d.err.String() }
			if c.columns > 0 {
				screen := openTTY(t, c.columns)
				d.Err, seen = screen.File, screen.screen
			}
			expect.OK(t, (&publishCommand{Path: "a.html", target: target{Server: server}}).Run(t.Context(), d.Env))
			text := seen()
			if got := strings.Contains(text, "%"); got != c.bar || c.bar == strings.Contains(text, "sent ") {
				t.Errorf("a bar: %v: %q", got, text)
			}
			if acts.MatchString(text) && !c.bar || strings.Contains(text, "\x1b[3") || acts.MatchString(d.out.String()) {
				t.Errorf("it acts on what is no terminal, or has colours: %q, %q", text, d.out.String())
			}
			for _, line := range regexp.MustCompile(`[\r\n]+`).Split(text, -1) {
				if n := utf8.RuneCountInString(acts.ReplaceAllString(line, "")); c.bar && n > c.columns {
					t.Errorf("%d columns: %q", n, line)
				}
			}
		})
	}
}

func TestRegression48OnATerminalAProjectIsNamedByTypingItsID(t *testing.T) {
	for name, c := range map[string]struct {
		typed   string
		changed bool
	}{"its id": {"a-b", true}, "another": {"y", false}, "nothing": {"", false}} {
		t.Run(name, func(t *testing.T) {
			changed := false
			server := answers(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					fmt.Fprint(w, `{"project_id":"a-b","title":"Maze","url":"http://a-b.localhost/","version":2,"primary_file":"index.html","files":[]}`)
					return
				}
				changed = true
				fmt.Fprint(w, `{"project_id":"a-b","version":3,"restored_from":1}`)
			})
			d := newDesk(t, map[string]string{keyVariable: accountKeyText})
			screen := openTTY(t, 80)
			d.In, d.Err = screen.File, screen.File
			expect.OK(t, os.Mkdir(stateFolder, 0o700))
			expect.OK(t, os.WriteFile(stateFolder+"/"+stateFile, []byte(`{"server":"`+server+`","project_id":"a-b","path":"."}`), 0o600))
			_, err := fmt.Fprintln(screen.person, c.typed)
			expect.OK(t, err)
			err = (&restoreCommand{Version: 1}).Run(t.Context(), d.Env)
			if text := screen.screen(); changed != c.changed || (err == nil) != c.changed || !strings.Contains(text, "Type a-b to go on: ") {
				t.Errorf("changed %v: %v, %q", changed, err, text)
			}
		})
	}
}

func TestAQuestionEndsWithTheCommand(t *testing.T) {
	d := newDesk(t, nil)
	screen := openTTY(t, 80)
	d.In, d.Err = screen.File, screen.File
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.readKey(ctx, "http://a")
	if code, _ := ExitCode(err); code != exitOther || !strings.Contains(fmt.Sprint(err), "interrupted; nothing was sent") {
		t.Errorf("exit code %d: %v", code, err)
	}
	_, _ = fmt.Fprintln(screen.person) // what reads is left behind, and ends now
	screen.screen()
}

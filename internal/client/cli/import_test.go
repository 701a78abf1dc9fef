package cli

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// exportFile makes an archive that looks like an export, with a file of that size.
func exportFile(t *testing.T, name string, size int) {
	t.Helper()
	f, err := os.Create(name)
	expect.OK(t, err)
	z := zip.NewWriter(f)
	_, err = z.Create(manifestName)
	expect.OK(t, err)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "a-1/a.bin", Method: zip.Store})
	expect.OK(t, err)
	_, err = w.Write(make([]byte, size))
	expect.OK(t, err)
	expect.OK(t, z.Close())
	expect.OK(t, f.Close())
}

func TestAnImportThatIsBrokenOffIsSentAgainUnderTheSameKey(t *testing.T) {
	var keys []string
	var sent []int64
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		keys, sent = append(keys, r.Header.Get("Idempotency-Key")), append(sent, n)
		switch len(keys) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"error":"request_in_progress","message":"it is being done"}`)
		default:
			fmt.Fprint(w, `{"imported":1,"projects":[{"from":"a-1\u001b[2J","project_id":"b-2","url":"http://b-2.localhost/","versions":1,"files":2}]}`)
		}
	})
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	exportFile(t, "e.zip", wholeMax)
	expect.OK(t, (&importCommand{File: "e.zip", Copy: 1, Server: server}).Run(t.Context(), d.Env))
	if len(keys) != 3 || keys[0] != keys[1] || keys[1] != keys[2] || sent[0] != sent[2] || sent[2] < wholeMax {
		t.Errorf("%q with %d bytes", keys, sent)
	}
	expect.Equal(t, "what it says", d.out.String(), "a-1  ->  b-2  http://b-2.localhost/  1 version, 2 files\n")
	expect.OK(t, (&importCommand{File: "e.zip", Copy: 2, Server: server}).Run(t.Context(), d.Env))
	if keys[3] == keys[0] {
		t.Error("another copy has the same key")
	}
}

func TestAServerThatEndsWhileItIsSentSomethingIsWaitedFor(t *testing.T) {
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.Listener.Close()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	exportFile(t, "e.zip", 100)
	err := (&importCommand{File: "e.zip", Copy: 1, Server: s.URL}).Run(t.Context(), d.Env)
	if code, _ := ExitCode(err); code != exitServer || len(d.waited) != tries-1 {
		t.Errorf("exit code %d after %v: %v", code, d.waited, err)
	}
}

func TestOfAnImportEachProjectThatIsRefusedIsTold(t *testing.T) {
	refused := func(code string, status int) string {
		return fmt.Sprintf(`{"from":"a-1","error":{"error":%q,"message":"It is refused.","hint":"Mend it.\ncurl x","status":%d}}`, code, status)
	}
	const taken = `{"from":"b-1","project_id":"c-1","url":"http://c-1.localhost/"}`
	for name, c := range map[string]struct {
		projects string
		failed   int
		exit     int
	}{
		"one of two":      {refused("digest_mismatch", 422) + "," + taken, 1, ExitPartly},
		"all":             {refused("digest_mismatch", 422), 1, ExitContent},
		"none is refused": {taken, 0, 0},
		"none there":      {"", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := answers(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				fmt.Fprintf(w, `{"failed":%d,"projects":[%s]}`, c.failed, c.projects)
			})
			d := newDesk(t, map[string]string{keyVariable: accountKeyText})
			d.Args = []string{"import", "e.zip"}
			exportFile(t, "e.zip", 100)
			err := (&importCommand{File: "e.zip", Copy: 1, Server: server}).Run(t.Context(), d.Env)
			code, _ := ExitCode(err)
			if (err == nil) != (c.exit == 0) || err != nil && code != c.exit {
				t.Errorf("exit code %d with %v", code, err)
			}
			if told := strings.Contains(d.err.String(), "refused: a-1: It is refused.\n         Mend it.\n"); told != (c.failed > 0) || strings.Contains(d.err.String(), "curl") {
				t.Errorf("it says %s", d.err.String())
			}
		})
	}
}

func TestWhatIsNoExportIsNotSent(t *testing.T) {
	asked := 0
	server := answers(t, func(http.ResponseWriter, *http.Request) { asked++ })
	d := newDesk(t, map[string]string{keyVariable: accountKeyText})
	exportFile(t, "e.zip", 100)
	whole, err := os.ReadFile("e.zip")
	expect.OK(t, err)
	expect.OK(t, os.WriteFile("cut.zip", whole[:len(whole)-30], 0o600))
	expect.OK(t, os.WriteFile("empty.zip", nil, 0o600))
	expect.OK(t, os.Mkdir("folder.zip", 0o700))
	for name, exit := range map[string]int{"cut.zip": ExitContent, "empty.zip": ExitContent, "folder.zip": ExitContent, "none.zip": exitOther} {
		err := (&importCommand{File: name, Copy: 1, Server: server}).Run(t.Context(), d.Env)
		if code, _ := ExitCode(err); code != exit || err == nil || !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("%s: exit code %d with %v", name, code, err)
		}
	}
	if asked > 0 {
		t.Errorf("the server was asked %d times", asked)
	}
}

func TestAnImportWithoutAKeyIsNotSent(t *testing.T) {
	asked := 0
	server := answers(t, func(http.ResponseWriter, *http.Request) { asked++ })
	d := newDesk(t, nil)
	d.Args = []string{"import", "e.zip"}
	exportFile(t, "e.zip", 100)
	err := (&importCommand{File: "e.zip", Copy: 1, Server: server}).Run(t.Context(), d.Env)
	if code, _ := ExitCode(err); asked > 0 || code != exitKey || !strings.HasSuffix(err.Error(), "\n    sandlot login --server "+server) {
		t.Errorf("asked %d times, exit code %d: %v", asked, code, err)
	}
}

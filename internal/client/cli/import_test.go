package cli

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"os"
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
	expect.OK(t, (&importCommand{File: "e.zip", host: host{Server: server}}).Run(t.Context(), d.Env))
	if len(keys) != 3 || keys[0] != keys[1] || keys[1] != keys[2] || sent[0] != sent[2] || sent[2] < wholeMax {
		t.Errorf("%q with %d bytes", keys, sent)
	}
	expect.Equal(t, "what it says", d.out.String(), "a-1  ->  b-2  http://b-2.localhost/  1 version, 2 files\n")
}

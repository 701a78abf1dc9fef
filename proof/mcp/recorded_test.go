package mcp

import (
	"bufio"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestRecordedRequestsAreAnswered: those of testdata, which others saw real clients send. Each file names its sources.
func TestRecordedRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	service := testenv.Start(t, testenv.Binary(t))
	files, err := filepath.Glob("testdata/*.http")
	expect.OK(t, err)
	expect.Equal(t, "recorded clients", len(files), 6)
	for _, file := range files {
		text, err := os.ReadFile(file)
		expect.OK(t, err)
		for i, one := range strings.Split("\n"+string(text), "\n###") {
			r := readRecorded(t, one)
			got := send(t, service.Client(), r.method, service.URL()+r.path, r.body, r.header...)
			if fault := r.judge(t, got); fault != "" {
				t.Errorf("%s, request %d: %s: %d %s", file, i+1, fault, got.status, got.text)
			}
		}
	}
}

// A recorded is a request of a file.
type recorded struct {
	method, path, body string
	header             []string
}

// readRecorded reads a request in the form of files of the extension http: comments, the first line, header, an empty line, body.
func readRecorded(t *testing.T, text string) (r recorded) {
	t.Helper()
	_, text, _ = strings.Cut(text, "\n") // the text beside the marks
	for strings.HasPrefix(text, "#") {
		_, text, _ = strings.Cut(text, "\n")
	}
	in := textproto.NewReader(bufio.NewReader(strings.NewReader(text + "\n\n")))
	line, err := in.ReadLine()
	expect.OK(t, err, text)
	r.method, r.path, _ = strings.Cut(line, " ")
	header, err := in.ReadMIMEHeader()
	expect.OK(t, err, text)
	for name, values := range header {
		r.header = append(r.header, name, values[0])
	}
	_, body, _ := strings.Cut(text, "\n\n")
	r.body = strings.TrimSpace(body)
	return r
}

// judge returns the faults of an answer.
func (r recorded) judge(t *testing.T, got answer) string {
	t.Helper()
	switch {
	case r.method != "POST":
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != "POST" {
			return "not 405 with Allow: POST"
		}
	case !strings.Contains(r.body, `"id"`):
		if got.status != http.StatusAccepted || got.text != "" {
			return "a notification is not 202"
		}
	default:
		if m := got.message(t); got.status != http.StatusOK || m.Error != nil {
			return "not 200"
		}
	}
	return ""
}

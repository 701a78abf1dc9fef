package main

import (
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// plainText is the text of a message.
func plainText(t *testing.T, message string) string {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(message))
	expect.OK(t, err)
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	expect.OK(t, err)
	part, err := multipart.NewReader(m.Body, params["boundary"]).NextPart()
	expect.OK(t, err)
	text, err := io.ReadAll(part)
	if err != nil || !strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("the first part of a message is %v (%v)", part.Header, err)
	}
	return string(text)
}

var links = regexp.MustCompile(`(?m)^http://\S+token=\S+`)

// written makes a file in a folder of the walker's.
func written(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

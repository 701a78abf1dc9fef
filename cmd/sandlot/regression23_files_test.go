package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
)

// TestRegression23WhatIsNoFileHoldsUpNoStart: settings and secrets are read from whatever a path leads to, in bounded time and memory.
func TestRegression23WhatIsNoFileHoldsUpNoStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe, large := filepath.Join(folder, "pipe"), filepath.Join(folder, "large")
	expect.OK(t, syscall.Mkfifo(pipe, 0o600))
	expect.OK(t, os.WriteFile(large, nil, 0o600))
	if err := os.Truncate(large, 1<<40); err != nil { // takes no room
		t.Fatal(err)
	}
	for _, tc := range []struct {
		c    configuration
		says string // empty: it is taken
	}{
		{configuration{env: []string{"SANDLOT_SMTP_URL_FILE=" + pipe}}, "--smtp-url: SANDLOT_SMTP_URL_FILE: read " + pipe + ": nobody writes into this pipe, or not to its end"},
		{configuration{args: []string{"--config=" + pipe}}, "configuration file: read " + pipe + ": nobody writes into this pipe, or not to its end"},
		{configuration{env: []string{"SANDLOT_SMTP_URL_FILE=" + large}}, "--smtp-url: SANDLOT_SMTP_URL_FILE: read " + large + ": it is larger than 64KiB"},
		{configuration{args: []string{"--config=" + large}}, "configuration file: read " + large + ": it is larger than 1MiB"},
		{configuration{env: []string{"SANDLOT_SMTP_URL_FILE=/dev/zero"}}, "--smtp-url: SANDLOT_SMTP_URL_FILE: read /dev/zero: it is larger than 64KiB"},
		{configuration{env: []string{"SANDLOT_CONFIG=/dev/zero"}}, "configuration file: read /dev/zero: it is larger than 1MiB"},
		{configuration{env: []string{"SANDLOT_SMTP_URL_FILE=/dev/null"}}, "--smtp-url: SANDLOT_SMTP_URL_FILE: /dev/null is empty"},
		{configuration{env: []string{"SANDLOT_SMTP_URL_FILE=FOLDER/s"}, files: map[string]string{"s": "\ufeff\r\n"}}, "--smtp-url: SANDLOT_SMTP_URL_FILE: FOLDER/s is empty"},
		{configuration{env: []string{"SANDLOT_SMTP_URL_FILE=FOLDER/s"}, files: map[string]string{"s": "\ufeffsmtp://127.0.0.1:1\r\n"}}, ""},
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, command := range [][]string{{"config", "check"}, {"serve"}} {
				o := tc.c.try(t, command...)
				if o.sentence = strings.TrimSuffix(o.sentence, ": write the secret into it, or unset the variable"); o.sentence != tc.says || (o.code == 2) != (tc.says != "") {
					t.Errorf("%s says %d %s, wanted %s", command, o.code, o.sentence, tc.says)
				}
			}
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("it hangs: %+v", tc.c)
		}
	}
}

// TestRegression23APipeIsWaitedFor: a shell's <(...) writes when it comes to it.
func TestRegression23APipeIsWaitedFor(t *testing.T) {
	t.Parallel()
	kept, writer, err := os.Pipe() // what is written stays there while one end for reading is open
	expect.OK(t, err)
	defer kept.Close()
	path := fmt.Sprintf("/dev/fd/%d", kept.Fd())
	got := make(chan string)
	go func() {
		text, err := readBounded(path, 100)
		if err != nil {
			t.Error(err)
		}
		got <- string(text)
	}()
	for _, piece := range []string{"log-level: ", "info"} {
		if _, err := writer.WriteString(piece); err != nil {
			t.Error(err)
		}
	}
	writer.Close()
	if text := <-got; text != "log-level: info" {
		t.Errorf("%q", text)
	}
}

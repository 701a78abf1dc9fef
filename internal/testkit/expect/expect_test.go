package expect

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// noting is a test that notes how it failed, and goes on where another would end.
type noting struct {
	testing.TB
	said string
}

func (*noting) Helper() {}

func (n *noting) Fatal(args ...any) {
	n.said = strings.TrimSuffix("ended: "+fmt.Sprintln(args...), "\n")
}

func (n *noting) Errorf(format string, args ...any) { n.said = fmt.Sprintf(format, args...) }

func TestWhatIsAsExpectedSaysNothing(t *testing.T) {
	n := &noting{}
	OK(n, nil)
	Is(n, "read", fmt.Errorf("read: %w", io.EOF), io.EOF)
	Equal(n, "files", 3, 3)
	Contains(n, "page", "ab", "a")
	Same(n, "names", []string{"a"}, []string{"a"})
	if n.said != "" {
		t.Error(n.said)
	}
}

func TestWhatIsNotAsExpectedFails(t *testing.T) {
	for want, check := range map[string]func(n *noting){
		"ended: EOF":                      func(n *noting) { OK(n, io.EOF) },
		"ended: read a.txt EOF":           func(n *noting) { OK(n, io.EOF, "read", "a.txt") },
		`page: there is no "c" in ab`:     func(n *noting) { Contains(n, "page", "ab", "c") },
		"read: error is <nil>, want EOF":  func(n *noting) { Is(n, "read", nil, io.EOF) },
		"read: error is EOF, want <nil>":  func(n *noting) { Is(n, "read", io.EOF, nil) },
		"read: error is broken, want EOF": func(n *noting) { Is(n, "read", errors.New("broken"), io.EOF) },
		"files: got 2, want 3":            func(n *noting) { Equal(n, "files", 2, 3) },
		"name (-want +got):\n":            func(n *noting) { Same(n, "name", "a", "b") },
	} {
		n := &noting{}
		if check(n); !strings.HasPrefix(n.said, want) {
			t.Errorf("got %q, want %q", n.said, want)
		}
	}
}

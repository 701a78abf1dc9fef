// Package hook calls a program or a service of the operator with JSON, and returns its answer. It reads neither the
// request nor the answer.
package hook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
)

// maxAnswer is the most bytes of an answer.
const maxAnswer = 64 << 10

// errLarge is a longer answer.
var errLarge = errors.New("the answer has more than 64 KiB")

// leastSecret is the least characters of a secret that signs calls.
const leastSecret = 16

// prefix may begin a command.
const prefix = "cmd:"

// IsCommand reports whether a target is a command: an absolute path with arguments between blanks, with cmd: before it or
// not.
func IsCommand(target string) bool {
	return strings.HasPrefix(target, prefix) || filepath.IsAbs(target)
}

// NewCommand returns the command of a target, if it can be run. No shell reads it: blanks alone part the arguments.
func NewCommand(target string) (*Command, error) {
	words := strings.Fields(strings.TrimPrefix(target, prefix))
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		return nil, errors.New("needs the absolute path of a program, such as /etc/sandlot/judge")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("names %s, which is no program that can be run: install it, or chmod +x it", words[0])
	}
	return &Command{words[0], words[1:]}, nil
}

// NewService returns the service at a URL of https, or of http on this machine, whose calls are signed with a secret.
func NewService(target, secret string) (*Service, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, errors.New("is neither a command such as /etc/sandlot/judge, nor a URL of https (of http on this machine) without a login")
	}
	if len(secret) < leastSecret {
		return nil, fmt.Errorf("needs a secret of at least %d characters, by which the service recognizes this instance", leastSecret)
	}
	return newService(u, secret), nil
}

// loopback reports whether a host of a URL is this machine.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost"
}

// limited keeps at most maxAnswer bytes; a writer of more gets errLarge, and stop is called.
type limited struct {
	held []byte
	stop func()
	full bool
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if len(l.held)+len(p) > maxAnswer {
		l.full = true
		l.stop()
		return 0, errLarge
	}
	l.held = append(l.held, p...)
	return len(p), nil
}

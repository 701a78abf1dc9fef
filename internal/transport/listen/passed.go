// Package listen returns the listeners of the program: sockets that systemd passed (sd_listen_fds(3)), by their names, or
// sockets of its own in the file system. A passed socket stays open while the program is restarted, so clients that
// connect meanwhile wait in its queue.
package listen

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/coreos/go-systemd/v22/activation"
)

// Names are the names that a passed socket can have: the line FileDescriptorName= of its unit.
const (
	HTTP    = "http"
	HTTPS   = "https"
	Metrics = "metrics"
)

// Passed holds the sockets that systemd passed and that nobody has taken yet, by name. The zero value holds none.
type Passed map[string]net.Listener

// Receive returns the sockets that systemd passed to this process, and makes sure that no child of it gets them. A
// single socket is HTTP if it has none of the names. Others must have one of the names, each once, and be TCP or Unix
// sockets on which connections are accepted. The error explains the change that the unit needs.
func Receive() (Passed, error) {
	files := activation.Files(true)
	p := Passed{}
	for _, f := range files {
		name := f.Name()
		if len(files) == 1 && !known(name) {
			name = HTTP
		}
		l, err := p.listener(name, f)
		if err != nil { // the descriptor may be another file of this process: it is not closed
			p.Close()
			return nil, err
		}
		_ = f.Close() // the listener has a descriptor of its own
		p[name] = l
	}
	return p, nil
}

func known(name string) bool { return slices.Contains([]string{HTTP, HTTPS, Metrics}, name) }

// listener returns the listener of a passed file, if it can have the name.
func (p Passed) listener(name string, f *os.File) (net.Listener, error) {
	switch {
	case !known(name):
		return nil, fmt.Errorf("systemd passed a socket named %q: set FileDescriptorName=http, https or metrics in its unit", name)
	case p[name] != nil:
		return nil, fmt.Errorf("systemd passed two sockets named %q: keep one ListenStream= for each name", name)
	case !accepts(f):
		return nil, fmt.Errorf("systemd passed %q as a file or socket that accepts no connections: use ListenStream=, without Accept=yes", name)
	}
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("the socket %q that systemd passed is neither TCP nor a Unix socket: change its ListenStream=", name)
	}
	return l, nil
}

// Take returns the socket of a name, which belongs to the caller from then on; nil: none was passed.
func (p Passed) Take(name string) net.Listener {
	l := p[name]
	delete(p, name)
	return l
}

// Unused returns an error that names the sockets which nobody has taken; nil if there are none. Connections to them
// would never be answered.
func (p Passed) Unused() error {
	if len(p) == 0 {
		return nil
	}
	names := []string{}
	for name := range p {
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Errorf("systemd passed a socket named %s that these settings have no use for: remove its .socket unit, or set what serves it",
		strings.Join(names, " and "))
}

// Close closes the sockets that nobody has taken.
func (p Passed) Close() {
	for _, l := range p {
		_ = l.Close() // nothing was accepted
	}
}

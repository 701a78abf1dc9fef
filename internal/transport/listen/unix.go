package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
)

// unixPrefix is how an address that is the path of a Unix socket begins.
const unixPrefix = "unix:"

// unixMost is the longest path of a Unix socket, in bytes: the field of the system has one more for the end.
const unixMost = len(syscall.RawSockaddrUnix{}.Path) - 1

// UnixMode is the mode of a socket that Unix makes: the service's user and group may connect.
const UnixMode fs.FileMode = 0o660

// ParseUnix returns the address of unix:PATH. It returns nil, without an error, for a text in another form. It looks at
// no file.
func ParseUnix(text string) (*net.UnixAddr, error) {
	path, ok := strings.CutPrefix(text, unixPrefix)
	switch {
	case !ok:
		return nil, nil
	case path == "":
		return nil, errors.New("names no path, such as unix:/run/sandlot/http.sock")
	case len(path) > unixMost:
		return nil, fmt.Errorf("has a path of %d bytes, and a Unix socket can have %d: choose a shorter one", len(path), unixMost)
	}
	return &net.UnixAddr{Name: path, Net: "unix"}, nil
}

// Text returns an address in the form of a setting: HOST:PORT or unix:PATH.
func Text(at net.Addr) string {
	if at.Network() == "unix" {
		return unixPrefix + at.String()
	}
	return at.String()
}

// Unix listens on the path of a Unix socket, with UnixMode. It replaces a socket on which nobody listens any more, as a
// process leaves it that was killed, and refuses the socket of a living server and any other file. Closing the listener
// removes the socket.
func Unix(at *net.UnixAddr) (net.Listener, error) {
	if err := makeWay(at.Name); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", at)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(at.Name, UnixMode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// makeWay removes a dead socket.
func makeWay(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("there is another file with that name")
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		c.Close()
		return errors.New("another server listens on it")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}

package redis

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

const (
	form        = "redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], or rediss:// for TLS"
	defaultPort = "6379"
	// mostDatabases bounds the number; servers have 16 by default.
	mostDatabases = 1 << 20
)

// Address is the address of a server. Printed, it has no password.
type Address struct {
	tls            bool
	host           string // with the port
	user, password string
	database       int
}

// ParseURL reads the address of a server: redis://HOST, or rediss://HOST for TLS, optionally with a user, a password, a
// port and the number of a database. Its errors have no part of the password.
func ParseURL(text string) (Address, error) {
	scheme, _, ok := strings.Cut(text, "://")
	if !ok || scheme != "redis" && scheme != "rediss" {
		return Address{}, fmt.Errorf("the address of Redis is %s", form)
	}
	switch {
	case strings.Contains(text, "#"):
		return Address{}, errors.New("the address of Redis has a # in it: write it as %23 in a password")
	case strings.Contains(text, "?"):
		return Address{}, errors.New("the address of Redis has a ? in it: there are no options; write it as %3F in a password")
	}
	u, err := url.Parse(text)
	if err != nil { // the error contains the whole address
		return Address{}, fmt.Errorf("the address of Redis cannot be read: it is %s. In a password write %%2F for /, %%40 for @ and %%25 for %%", form)
	}
	a := Address{tls: scheme == "rediss"}
	for _, part := range []func(*url.URL) error{a.readHost, a.readUser, a.readDatabase} {
		if err := part(u); err != nil {
			return Address{}, err
		}
	}
	return a, nil
}

func (a *Address) readHost(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	if host == "" {
		return errors.New("the address of Redis names no host")
	}
	if strings.HasSuffix(u.Host, ":") || port == "" {
		port = defaultPort
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return errors.New("the port in the address of Redis is not one from 1 to 65535")
	}
	a.host = net.JoinHostPort(host, port)
	return nil
}

func (a *Address) readUser(u *url.URL) error {
	if u.User == nil {
		return nil
	}
	a.user = u.User.Username()
	a.password, _ = u.User.Password()
	if a.password == "" {
		return errors.New("the address of Redis has a user and no password: write redis://:PASSWORD@HOST for a password alone")
	}
	return nil
}

func (a *Address) readDatabase(u *url.URL) error {
	path := strings.TrimPrefix(u.Path, "/")
	if path == "" {
		return nil
	}
	n, err := strconv.Atoi(path)
	if err != nil || n < 0 || n > mostDatabases || path != strconv.Itoa(n) {
		return errors.New("what follows the host in the address of Redis is not the number of a database")
	}
	a.database = n
	return nil
}

// String returns the address without user and password.
func (a Address) String() string {
	scheme := "redis"
	if a.tls {
		scheme = "rediss"
	}
	return fmt.Sprintf("%s://%s/%d", scheme, a.host, a.database)
}

// Format hides the password from every verb of fmt.
func (a Address) Format(f fmt.State, _ rune) { fmt.Fprint(f, a.String()) }

// name returns the host whose certificate the server shows.
func (a Address) name() string {
	host, _, _ := net.SplitHostPort(a.host)
	return host
}

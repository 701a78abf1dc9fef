package redis

import (
	"cmp"
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
	host, port     string
	user, password string
	database       int
}

// ParseURL reads the address of a server: redis://HOST, or rediss://HOST for TLS, optionally with a user, a password, a
// port and the number of a database. Its errors have no part of the password.
func ParseURL(text string) (Address, error) {
	scheme, _, ok := strings.Cut(text, "://")
	switch {
	case !ok || scheme != "redis" && scheme != "rediss":
		return Address{}, fmt.Errorf("the address of Redis is %s", form)
	case strings.Contains(text, "#"):
		return Address{}, errors.New("the address of Redis has a # in it: write it as %23 in a password")
	case strings.Contains(text, "?"):
		return Address{}, errors.New("the address of Redis has a ? in it: there are no options; write it as %3F in a password")
	}
	u, err := url.Parse(text)
	if err != nil { // the error contains the whole address
		return Address{}, fmt.Errorf("the address of Redis cannot be read: it is %s. "+
			"In a password write %%2F for /, %%40 for @ and %%25 for %%", form)
	}
	a := Address{tls: scheme == "rediss", host: u.Hostname(), port: cmp.Or(u.Port(), defaultPort), user: u.User.Username()}
	a.password, _ = u.User.Password()
	port, wrongPort := strconv.Atoi(a.port)
	path := cmp.Or(strings.TrimPrefix(u.Path, "/"), "0")
	a.database, err = strconv.Atoi(path)
	switch {
	case a.host == "":
		return Address{}, errors.New("the address of Redis names no host")
	case wrongPort != nil || port < 1 || port > 65535:
		return Address{}, errors.New("the port in the address of Redis is not one from 1 to 65535")
	case u.User != nil && a.password == "":
		return Address{}, errors.New("the address of Redis has a user and no password: write redis://:PASSWORD@HOST for a password alone")
	case err != nil || a.database < 0 || a.database > mostDatabases || path != strconv.Itoa(a.database):
		return Address{}, errors.New("what follows the host in the address of Redis is not the number of a database")
	}
	return a, nil
}

// String returns the address without user and password.
func (a Address) String() string {
	scheme := "redis"
	if a.tls {
		scheme = "rediss"
	}
	return fmt.Sprintf("%s://%s/%d", scheme, net.JoinHostPort(a.host, a.port), a.database)
}

// Format hides the password from every verb of fmt.
func (a Address) Format(f fmt.State, _ rune) { fmt.Fprint(f, a.String()) }

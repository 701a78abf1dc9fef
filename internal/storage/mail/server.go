package mail

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// policy says when a connection is encrypted.
type policy string

const (
	noTLS         policy = "none"
	opportunistic policy = "opportunistic"
	mandatory     policy = "mandatory"
	implicitTLS   policy = "implicit" // from the first byte: smtps
)

// choices are the policies that a URL may name.
var choices = []policy{noTLS, opportunistic, mandatory}

// starttls holds the policies as the client's type.
var starttls = map[policy]gomail.TLSPolicy{
	noTLS: gomail.NoTLS, opportunistic: gomail.TLSOpportunistic, mandatory: gomail.TLSMandatory, implicitTLS: gomail.NoTLS,
}

// server holds the values of the URL.
type server struct {
	host           string
	port           int
	user, password string
	policy         policy
}

// ports are those of a URL without one: submission for smtp (RFC 6409), since 25 is for servers among themselves.
var ports = map[string]string{"smtp": "587", "smtps": "465"}

// parseURL reads the URL of a mail server. Its errors do not quote it.
func parseURL(raw string) (server, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return server{}, errors.New("not a URL (special characters in a password must be percent-encoded)")
	}
	s := server{host: u.Hostname(), user: u.User.Username()}
	s.password, _ = u.User.Password()
	query, malformed := url.ParseQuery(u.RawQuery)
	asked := policy(query.Get("tls"))
	var noPort error
	s.port, noPort = strconv.Atoi(cmp.Or(u.Port(), ports[u.Scheme]))
	switch {
	case ports[u.Scheme] == "":
		return server{}, errors.New("not a URL that begins with smtp:// or smtps://")
	case s.host == "":
		return server{}, errors.New("the URL names no host")
	case strings.Trim(u.Path, "/") != "" || u.Fragment != "":
		return server{}, errors.New("the URL has more than a host, a port and ?tls= " +
			"(special characters in a password must be percent-encoded)")
	case (s.user == "") != (s.password == ""):
		return server{}, errors.New("the URL needs a user and a password, or neither")
	case noPort != nil || s.port < 1 || s.port > 65535:
		return server{}, errors.New("the port is not a number from 1 to 65535")
	case malformed != nil || len(query) > 0 && (len(query) > 1 || len(query["tls"]) != 1 || !slices.Contains(choices, asked)):
		return server{}, errors.New("after ? the URL takes one tls= of none, opportunistic and mandatory, and nothing else")
	}
	s.policy, err = s.choose(u.Scheme, asked)
	return s, err
}

// choose returns the policy for a URL. A password makes encryption mandatory: an attacker who can hide the server's
// offer could otherwise get the password.
func (s server) choose(scheme string, asked policy) (policy, error) {
	switch {
	case scheme == "smtps" && asked != "" && asked != mandatory:
		return "", errors.New("smtps:// is encrypted from the first byte: leave out ?tls=")
	case scheme == "smtps":
		return implicitTLS, nil
	case s.loopback():
		return cmp.Or(asked, noTLS), nil
	case s.user != "" && asked == noTLS:
		return "", errors.New("a password is sent unencrypted to this machine only: leave out ?tls=none")
	case s.user != "":
		return mandatory, nil
	}
	return cmp.Or(asked, opportunistic), nil
}

// loopback reports whether the server is this machine.
func (s server) loopback() bool {
	ip := net.ParseIP(s.host)
	return s.host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s server) address() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// mechanisms returns the ways to log in, the best first.
func (s server) mechanisms() []gomail.SMTPAuthType {
	plain, login := gomail.SMTPAuthPlain, gomail.SMTPAuthLogin
	if s.loopback() {
		plain, login = gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc
	}
	// Those bound to the TLS channel are left out: proxies in front of servers break them.
	return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, plain, login}
}

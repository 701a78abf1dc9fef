package mail

import (
	"errors"
	"net"
	"net/url"
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

// starttls returns the policy as the client's type.
func (p policy) starttls() gomail.TLSPolicy {
	switch p {
	case opportunistic:
		return gomail.TLSOpportunistic
	case mandatory:
		return gomail.TLSMandatory
	}
	return gomail.NoTLS
}

// server holds the values of the URL.
type server struct {
	host           string
	port           int
	user, password string
	policy         policy
}

// parseURL reads the URL of a mail server. Its errors do not quote it.
func parseURL(raw string) (server, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return server{}, errors.New("not a URL (special characters in a password must be percent-encoded)")
	}
	s := server{host: u.Hostname(), user: u.User.Username()}
	s.password, _ = u.User.Password()
	switch {
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return server{}, errors.New("not a URL that begins with smtp:// or smtps://")
	case s.host == "":
		return server{}, errors.New("the URL names no host")
	case strings.Trim(u.Path, "/") != "" || u.Fragment != "":
		return server{}, errors.New("the URL has more than a host, a port and ?tls= (special characters in a password must be percent-encoded)")
	case (s.user == "") != (s.password == ""):
		return server{}, errors.New("the URL needs a user and a password, or neither")
	}
	if s.port, err = portOf(u); err != nil {
		return server{}, err
	}
	s.policy, err = policyOf(u, s)
	return s, err
}

func portOf(u *url.URL) (int, error) {
	if u.Port() == "" {
		if u.Scheme == "smtps" {
			return 465, nil
		}
		return 587, nil // submission, RFC 6409; 25 is for servers among themselves
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil || port < 1 || port > 65535 {
		return 0, errors.New("the port is not a number from 1 to 65535")
	}
	return port, nil
}

func policyOf(u *url.URL, s server) (policy, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", errors.New("the part after ? is malformed")
	}
	for name, values := range query {
		if name != "tls" || len(values) != 1 {
			return "", errors.New("after ? the URL takes one tls= and nothing else")
		}
	}
	asked, given := policy(query.Get("tls")), query.Has("tls")
	switch {
	case u.Scheme == "smtps" && given && asked != mandatory:
		return "", errors.New("smtps:// is encrypted from the first byte: leave out ?tls=")
	case u.Scheme == "smtps":
		return implicitTLS, nil
	case given && asked != noTLS && asked != opportunistic && asked != mandatory:
		return "", errors.New("?tls= is one of none, opportunistic and mandatory")
	}
	return choose(asked, s)
}

// choose returns the policy for a URL. A password makes encryption mandatory: an attacker who can hide the server's
// offer could otherwise get the password.
func choose(asked policy, s server) (policy, error) {
	switch {
	case s.loopback() && asked == "":
		return noTLS, nil
	case s.loopback():
		return asked, nil
	case s.user != "" && asked == noTLS:
		return "", errors.New("a password is sent unencrypted to this machine only: leave out ?tls=none")
	case s.user != "":
		return mandatory, nil
	case asked == "":
		return opportunistic, nil
	}
	return asked, nil
}

// loopback reports whether the server is this machine.
func (s server) loopback() bool {
	ip := net.ParseIP(s.host)
	return s.host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s server) address() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// mechanisms returns the ways to log in, the best first.
func (s server) mechanisms() []gomail.SMTPAuthType {
	if s.loopback() {
		return []gomail.SMTPAuthType{
			gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
			gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc,
		}
	}
	// Those bound to the TLS channel are left out: proxies in front of servers
	// break them.
	return []gomail.SMTPAuthType{
		gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
		gomail.SMTPAuthPlain, gomail.SMTPAuthLogin,
	}
}

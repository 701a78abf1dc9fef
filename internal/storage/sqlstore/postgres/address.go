package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// parse reads the URL of a database. Its errors do not quote the URL: it holds the password, and in a malformed one
// nobody knows where that ends.
func parse(address string) (*pgxpool.Config, error) {
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return nil, errors.New("the database's URL has to begin with postgres://")
	}
	u, err := url.Parse(address)
	if err != nil || astray(u) {
		return nil, errors.New("the database's URL is malformed; " +
			"in its password everything but letters and digits has to be percent-encoded")
	}
	config, err := pgxpool.ParseConfig(address)
	if err == nil {
		if !u.Query().Has("pool_max_conns") {
			config.MaxConns = connections
		}
		return config, nil
	}
	// The error begins with the URL, in such quotes.
	why := err.Error()[strings.LastIndex(err.Error(), "`: ")+1:]
	if !harmless(why, u) {
		why = ": a parameter of it is wrong"
	}
	return nil, errors.New("the database's URL cannot be used" + why)
}

// parameterForm matches the names that a parameter of PostgreSQL or of the driver can have.
var parameterForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// astray reports whether a password seems to have ended at a /, ? or # of its own: its rest is then
// taken for the name of the database, or for a parameter, which messages name.
func astray(u *url.URL) bool {
	for name := range u.Query() {
		if !parameterForm.MatchString(name) {
			return true
		}
	}
	return strings.Contains(u.EscapedPath(), "@") || strings.Contains(u.Host, "@") || u.Fragment != ""
}

// harmless reports whether a text contains no part of the URL that may be a password.
func harmless(text string, u *url.URL) bool {
	secrets := append(u.Query()["password"], u.Query()["sslpassword"]...)
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	}
	for _, s := range secrets {
		if s != "" && strings.Contains(text, s) {
			return false
		}
	}
	return !strings.Contains(text, "://")
}

// nameOf returns the name of the database for messages.
func nameOf(config *pgconn.Config) string {
	database := cmp.Or(config.Database, config.User) // as the server takes it
	if strings.HasPrefix(config.Host, "/") {
		return "the database " + database + " in " + config.Host
	}
	return "the database " + database + " at " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
}

// unreachable returns the reason why there is no connection, in a sentence.
func unreachable(name string, err error) error {
	e := said(err)
	switch {
	case e == nil && errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not answer in time, or is no PostgreSQL: %w", name, root(err))
	case e == nil:
		return fmt.Errorf("%s cannot be reached: %w", name, root(err))
	case e.Code == "28P01":
		return fmt.Errorf("%s refuses the password", name)
	case strings.HasPrefix(e.Code, "28"):
		return fmt.Errorf("%s lets this user not in from here: %s", name, e.Message)
	case e.Code == "3D000":
		return fmt.Errorf("%s does not exist; create it first", name)
	}
	return fmt.Errorf("%s cannot be used now: %s", name, e.Message)
}

// root returns the innermost error: the outer ones name the user, and each address that was tried.
func root(err error) error {
	for {
		switch e := err.(type) { //nolint:errorlint // each layer is looked at
		case *net.OpError:
			return e
		case interface{ Unwrap() error }:
			inner := e.Unwrap()
			if inner == nil {
				return err
			}
			err = inner
		case interface{ Unwrap() []error }:
			if len(e.Unwrap()) == 0 {
				return err
			}
			err = e.Unwrap()[0]
		default:
			return err
		}
	}
}

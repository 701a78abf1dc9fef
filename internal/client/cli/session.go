package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"sandlot/internal/client/client"
)

// A target is the flags that say which project, at which server.
type target struct {
	Server string `placeholder:"URL" help:"Server, such as https://play.example.com. (default: SANDLOT_SERVER, then .sandlot/project.json)"`
	ID     string `name:"id" placeholder:"PROJECT" help:"Project, by its project_id or URL. (default: the one in .sandlot/project.json)"`
	JSON   bool   `help:"Print the API's answer as it is. (default: lines for people)"`
}

// A session is one command's way to its server.
type session struct {
	*client.Client
	env   *Env
	place place
	id    string // the project, or empty
	keys  []keptKey
	named bool        // whether somebody named the server, not only a file of the folder
	meant bool        // whether somebody named the project, not only a file of the folder
	heard atomic.Bool // whether the server has answered, or was sent something
	quiet bool        // whether a program reads the answer
}

// connect finds out which server is meant, which project, and which keys are kept. It sends nothing.
func (t target) connect(env *Env, at place) (*session, error) {
	s := &session{env: env, place: at, id: t.ID, quiet: t.JSON, meant: t.ID != ""}
	text, named := t.Server, true
	if text == "" {
		text, _ = env.Lookup(serverVariable)
	}
	if text == "" {
		text, named = at.state.Server, false
	}
	other := []string{env.again("--server", placeholderServer)}
	if text == "" {
		return nil, &Failure{Message: "no server is named: use --server, or set " + serverVariable, Fix: other, Exit: exitUsage}
	}
	base, err := parseServer(text)
	if err != nil {
		return nil, &Failure{Message: err.Error(), Fix: other, Exit: exitUsage, cause: err}
	}
	s.Client = &client.Client{Base: base, HTTP: &http.Client{Transport: env.HTTP}, Waits: waits()}
	if s.id == "" && at.state.Server == base.String() {
		s.id = at.state.ID
	}
	if at.state.ID != "" && at.state.Server != base.String() && t.ID == "" {
		return nil, &Failure{
			Message: fmt.Sprintf("%s is a project at %s, not at %s", at.path(stateFile), at.state.Server, base),
			Notes:   []string{"Work in another folder, or name another project with --id. For that project:"},
			Fix:     []string{env.again("--server", at.state.Server)}, Exit: exitUsage,
		}
	}
	s.named = named
	return s, s.findKeys()
}

// here connects to the server that the flags or the folder at hand name.
func (t target) here(env *Env) (*session, error) {
	at, err := findPlace(".")
	if err != nil {
		return nil, err
	}
	return t.connect(env, at)
}

// project connects, and returns the project as its owner sees it.
func (t target) project(ctx context.Context, env *Env) (*session, client.Project, error) {
	s, err := t.here(env)
	if err != nil {
		return nil, client.Project{}, err
	}
	p, err := s.asOwner().project(ctx)
	if err == nil {
		s.id = p.ID
	}
	return s, p, err
}

// findKeys reads the keys for the server. A key in a variable goes to no server that only a file of the folder names, unless it is
// known here: whoever can change that file could otherwise have the key sent to themselves.
func (s *session) findKeys() error {
	ring, err := s.env.keyring()
	if err == nil {
		s.keys, err = ring.read(s.server())
	}
	key, ok := s.env.Lookup(keyVariable)
	if !ok || key == "" {
		return err
	}
	if !keyForm.MatchString(key) {
		f := &Failure{Message: keyVariable + " is no key: one begins with sla_ or slp_ and has 40 characters", Exit: exitUsage}
		login(s, nil, f)
		return f
	}
	if err := s.trusted("the key in " + keyVariable); err != nil {
		return err
	}
	s.keys = []keptKey{{Server: s.server(), Key: key}}
	if key[:4] == "slp_" {
		s.keys[0].Project = s.id
		s.meant = true // it can change no other
	}
	return nil
}

// trusted refuses to send a key to a server that only a file of the folder names, and that is not known here.
func (s *session) trusted(key string) error {
	if s.named || len(s.keys) > 0 || local(s.Base.Hostname()) {
		return nil
	}
	return &Failure{
		Message: key + " goes only to a server that you name, and " + s.server() + " is named by " + s.place.path(stateFile) + " alone",
		Fix:     []string{s.env.again("--server", s.server())}, Exit: exitUsage,
	}
}

func (s *session) server() string { return s.Base.String() }

// asAccount lets the calls that follow be made with an account's key.
func (s *session) asAccount() *session {
	s.Key = accountKey(s.keys).Key
	return s
}

// asOwner lets the calls that follow be made with the key that changes the project.
func (s *session) asOwner() *session {
	s.Key = projectKey(s.keys, s.id).Key
	return s
}

// Bounds of trying again. The same call has one effect however often it is made: each has an Idempotency-Key, or changes nothing.
const (
	tries     = 6                // in all some 20 s: a server that is being restarted is there again
	firstWait = time.Second / 2  // then twice as long each time
	mostWait  = 30 * time.Second // somebody is waiting, who can as well come back
)

// call makes a call until it is answered.
func (s *session) call(ctx context.Context, make func() error) error {
	pause, silent := firstWait, 0
	for n := 1; ; n, pause = n+1, 2*pause {
		err := make()
		silent = s.stalled(err, silent)
		if !unreached(err) {
			s.heard.Store(true)
		}
		again, after := s.mayTryAgain(err)
		after = max(after, pause)
		if !again || n == tries || silent == silences || ended(ctx) || after > mostWait {
			return err
		}
		s.env.say("no answer yet; trying again in %s", after)
		if s.env.Wait(ctx, after) != nil {
			return err
		}
	}
}

// asked makes a call that returns something until it is answered, and explains its error.
func asked[T any](ctx context.Context, s *session, make func() (T, error)) (got T, err error) {
	err = s.call(ctx, func() (err error) { got, err = make(); return err })
	return got, s.explain(ctx, err)
}

// mayTryAgain reports whether the same call may succeed later, and when.
func (s *session) mayTryAgain(err error) (again bool, after time.Duration) {
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		switch refused.Status {
		case http.StatusTooManyRequests:
			return refused.RetryAfter > 0, refused.RetryAfter
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true, refused.RetryAfter
		}
		return refused.Code == "request_in_progress", refused.RetryAfter
	case noTLS(err):
		return false, 0
	case unreached(err):
		return s.heard.Load(), 0 // a server that never answered is rather a mistyped address
	}
	return errors.Is(err, client.ErrNoAnswer), 0
}

// unreached reports whether no server was there to be sent anything, or none that can be trusted.
func unreached(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial" || noTLS(err)
}

// noTLS reports whether no https connection could be made that can be trusted.
func noTLS(err error) bool {
	var untrusted *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	return errors.As(err, &untrusted) || errors.As(err, &plain) || errors.Is(err, http.ErrSchemeMismatch)
}

// project returns the project and its list of files.
func (s *session) project(ctx context.Context) (p client.Project, err error) {
	if s.id == "" {
		return p, &Failure{
			Message: "no project is named, and there is no " + stateFolder + "/" + stateFile + " here",
			Notes:   []string{"Publish here first, or name the project; sandlot whoami lists them."},
			Fix:     []string{s.env.again("--id", "<project_id>")}, Exit: exitUsage,
		}
	}
	ask := func() (err error) { p, err = s.Project(ctx, s.id, "none"); return err }
	err = s.call(ctx, ask)
	if whole := accountKey(s.keys).Key; errors.Is(err, client.Code("invalid_key")) && whole != "" && whole != s.Key {
		s.Key = whole // the project's key ended, with the project, say
		err = s.call(ctx, ask)
	}
	return p, s.explain(ctx, err)
}

// parseServer reads the address of a server: that of its website, with or without /v1, with or without a scheme.
func parseServer(s string) (*url.URL, error) {
	text := strings.TrimSpace(s)
	if !strings.Contains(text, "://") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is no address of a server, such as https://play.example.com", clean(s))
	}
	if u.Scheme == "" {
		if u.Scheme = "https"; local(u.Hostname()) {
			u.Scheme = "http"
		}
	}
	path := strings.TrimSuffix(strings.Trim(u.Path, "/"), "v1")
	switch {
	case u.User != nil:
		return nil, errors.New("the address of a server has no user and no password: keys are kept by sandlot login")
	case u.Scheme != "http" && u.Scheme != "https" || path != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q is no address of a server, such as https://play.example.com", clean(s))
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return &url.URL{Scheme: u.Scheme, Host: host}, nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

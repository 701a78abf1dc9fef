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

// A target holds the flags that name the project and its server.
type target struct {
	host
	ID string `name:"id" placeholder:"PROJECT" help:"Project, by its project_id or URL. (default: the one in .sandlot/project.json)"`
}

// A host holds the flags of a command that is about no single project.
type host struct {
	Server string `placeholder:"URL" help:"Server, by its URL. (default: SANDLOT_SERVER, then .sandlot/project.json)"`
	JSON   bool   `help:"Print the API's answer as it is. (default: lines for people)"`
}

// A session is the connection of one command to its server.
type session struct {
	*client.Client
	env   *Env
	place place
	id    string // the project; may be empty
	keys  []keptKey
	named bool        // whether the user named the server, not only a file of the folder
	meant bool        // whether the user named the project, not only a file of the folder
	heard atomic.Bool // whether the server has answered, or was sent something
	quiet bool        // whether the output is for a program
	leave bool        // whether the command ends without waiting for the play-tester

	logins logins // that are kept for the server
}

// connect finds the server, the project and the stored keys. It sends nothing.
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
	s.Client = &client.Client{Base: base, HTTP: &http.Client{Transport: env.HTTP}, Waits: waits(), Fresh: s.logins.freshKey}
	s.logins.env, s.logins.client = env, s.Client
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

// here connects to the server that the flags or the current folder name.
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

// findKeys reads the keys for the server. If only a file of the folder names the server, and no key for it is stored
// here, a key from a variable is not sent to it: a stranger who can change that file could otherwise get the key.
func (s *session) findKeys() error {
	ring, err := s.env.keyring()
	if err == nil {
		s.keys, err = ring.read(s.server())
		s.logins.learn(s.keys)
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
		s.meant = true // the key can change no other project
	}
	return nil
}

// trusted refuses to send a key to a server that only a file of the folder names and that has no key here.
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

// asAccount selects an account key for the next calls.
func (s *session) asAccount() *session {
	s.Key = accountKey(s.keys).Key
	return s
}

// asOwner selects the key that may change the project for the next calls.
func (s *session) asOwner() *session {
	s.Key = projectKey(s.keys, s.id).Key
	return s
}

// Limits of retries. A repeated call has its effect once: each has an Idempotency-Key, or changes nothing.
const (
	tries     = 6                // some 20 s in total: enough for a server to restart
	firstWait = time.Second / 2  // doubles each time
	mostWait  = 30 * time.Second // the user is waiting, and may rather come back later
)

// call repeats a call until it is answered, within the limits. If the server refuses an access token, it is repeated
// once with another.
func (s *session) call(ctx context.Context, make func() error) error {
	pause, silent, spoiled := firstWait, 0, false
	for n := 1; ; n, pause = n+1, 2*pause {
		err := make()
		if errors.Is(err, client.Code("invalid_key")) && !spoiled && s.logins.spoil(s.Key) {
			spoiled = true
			err = make()
		}
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

// asked repeats a call with a result until it is answered, and explains its error.
func asked[T any](ctx context.Context, s *session, make func() (T, error)) (got T, err error) {
	err = s.call(ctx, func() (err error) { got, err = make(); return err })
	return got, s.explain(ctx, err)
}

// mayTryAgain reports whether a retry may succeed, and how long to wait before it.
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
		return s.heard.Load(), 0 // if no server ever answered, the address is probably mistyped
	}
	return errors.Is(err, client.ErrNoAnswer), 0
}

// unreached reports whether the call reached no server, or no trusted one.
func unreached(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial" || noTLS(err)
}

// noTLS reports whether no trusted https connection could be made.
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
		s.Key = whole // the project's key may have ended with the project
		err = s.call(ctx, ask)
	}
	return p, s.explain(ctx, err)
}

// parseServer parses the address of a server: that of its website, with or without /v1, with or without a scheme.
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

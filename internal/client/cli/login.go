package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sandlot/internal/client/client"
)

type loginCommand struct {
	host
	Project string `placeholder:"PROJECT" help:"Ask for one project alone, by its project_id or URL. (default: the browser asks)"`
	Web     bool   `xor:"way" help:"Log in through the browser, even without a terminal. (default: on a terminal)"`
	WithKey bool   `xor:"way" help:"Read a key from standard input, even from a terminal. (default: from a file or another program)"`
}

// Run stores a key, or the tokens of a login through the browser, after a test.
func (c *loginCommand) Run(ctx context.Context, env *Env) error {
	s, err := target{host: c.host}.here(env)
	if err != nil {
		return err
	}
	if err := s.trusted("a key"); err != nil {
		return err
	}
	ring, err := env.keyring()
	if err != nil {
		return err
	}
	kept := keptKey{Server: s.server()}
	if c.Web || c.Project != "" || env.terminal() && !c.WithKey {
		if err = ring.add(); err == nil { // checks first that the tokens can be kept
			err = s.throughBrowser(ctx, &kept, c.Project)
		}
	} else {
		kept.Key, err = env.readKey(ctx, s.server())
	}
	if err != nil {
		return err
	}
	s.Key = kept.Key
	who, err := s.whoAmI(ctx, 1)
	if err != nil {
		return err
	}
	kept.Handle, kept.Project = who.Handle, who.Key.ProjectID
	if err := s.logins.keep(ctx, ring, kept); err != nil {
		return err
	}
	if _, set := env.Lookup(keyVariable); set {
		env.say("warning: %s is set, and goes before the key that is kept", keyVariable)
	}
	return env.print(c.JSON, who.Text, "logged in", "@"+who.Handle, "server", s.server(), "key", kindOf(who), "kept in", ring.path)
}

// readKey reads one line. On a terminal it prompts, and hides the typed text.
func (env *Env) readKey(ctx context.Context, server string) (string, error) {
	text, err := env.secretLine(ctx, "Key for "+server+": ")
	if ended(ctx) {
		return "", err
	}
	if err != nil && !errors.Is(err, errNoInput) {
		return "", fmt.Errorf("the key cannot be read: %w", err)
	}
	if text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")); keyForm.MatchString(text) {
		return text, nil
	}
	words := without(append([]string{"sandlot"}, env.Args...), "--with-key", false)
	return "", &Failure{
		Message: "no key came on standard input: one begins with sla_ or slp_ and has 40 characters",
		Notes:   []string{"Give it from a file that only you can read, or log in through the browser:"},
		Fix:     []string{env.again() + " < key.txt", command(append(words, "--web")...)}, Exit: exitUsage,
	}
}

// throughBrowser waits for the tokens of a login to which the owner consents in a browser on any machine (RFC 8628).
func (s *session) throughBrowser(ctx context.Context, kept *keptKey, project string) error {
	d, err := asked(ctx, s, func() (client.Device, error) { return s.AskDevice(ctx, project) })
	var refused *client.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound && refused.Code != "project_not_found" {
		return &Failure{
			Message: s.server() + " has no login through the browser",
			Notes:   []string{"Log in with a key:"}, Fix: []string{s.env.again("--with-key")}, Exit: exitUsage, cause: err,
		}
	}
	if err != nil {
		return err
	}
	life := time.Duration(d.Seconds) * time.Second
	s.env.say("Open this page in any browser, and type the code. It is good for %s.\n  page: %s\n  code: %s",
		plural(d.Seconds/60, "minute", "minutes"), clean(d.Address), clean(d.UserCode))
	t, err := s.poll(ctx, d, life)
	if err != nil {
		return err
	}
	kept.Key, kept.Refresh, kept.Expires = t.Access, t.Refresh, t.ExpiresAt(time.Now())
	if !kept.login() {
		return fmt.Errorf("%w: it has no tokens", client.ErrNotAPI)
	}
	return nil
}

// Pauses between two questions for the tokens, in RFC 8628 section 3.5.
const (
	firstPause = 5 * time.Second
	morePause  = 5 * time.Second // after slow_down, or without an answer
)

// poll returns the tokens of a device as soon as they are there.
func (s *session) poll(ctx context.Context, d client.Device, life time.Duration) (client.Tokens, error) {
	pause := cmp.Or(time.Duration(d.Interval)*time.Second, firstPause)
	for ; life > 0; life -= pause {
		if err := s.env.Wait(ctx, pause); err != nil {
			return client.Tokens{}, s.explain(ctx, err)
		}
		t, err := s.PollDevice(ctx, d.Code)
		again, _ := s.mayTryAgain(err)
		switch {
		case err == nil:
			return t, nil
		case errors.Is(err, client.Code("authorization_pending")):
		case errors.Is(err, client.Code("slow_down")), again:
			pause += morePause
		case errors.Is(err, client.Code("access_denied")):
			return t, &Failure{Message: "the login was refused in the browser", Fix: []string{s.env.again()}, Exit: exitKey, cause: err}
		case errors.Is(err, client.Code("expired_token")):
			life = 0
		default:
			return t, s.explain(ctx, err)
		}
	}
	return client.Tokens{}, &Failure{Message: "the code was not typed in time", Fix: []string{s.env.again()}, Exit: exitLimit}
}

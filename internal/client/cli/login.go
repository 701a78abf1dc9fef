package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"sandlot/internal/client/client"
)

type loginCommand struct {
	Server string `placeholder:"URL" help:"Server, such as https://play.example.com. (default: SANDLOT_SERVER, then .sandlot/project.json)"`
	JSON   bool   `help:"Print the API's answer as it is. (default: lines for people)"`
}

// keyLine bounds what is read as a key, in bytes.
const keyLine = 4 << 10

// Run keeps a key that works.
func (c *loginCommand) Run(ctx context.Context, env *Env) error {
	at, err := findPlace(".")
	if err != nil {
		return err
	}
	t := target{Server: c.Server, JSON: c.JSON}
	s, err := t.connect(env, at)
	if err != nil {
		return err
	}
	if err := s.trusted("a key"); err != nil {
		return err
	}
	if _, err := env.keyring(); err != nil {
		return err
	}
	if s.Key, err = env.readKey(ctx, s.server()); err != nil {
		return err
	}
	who, err := s.whoAmI(ctx, 1)
	if err != nil {
		return err
	}
	ring, _ := env.keyring()
	if err := ring.add(keptKey{Server: s.server(), Key: s.Key, Handle: who.Handle, Project: who.Key.ProjectID}); err != nil {
		return err
	}
	if _, set := env.Lookup(keyVariable); set {
		env.say("warning: %s is set, and goes before the key that is kept", keyVariable)
	}
	return env.print(t.JSON, who.Text, "logged in", "@"+who.Handle, "server", s.server(), "key", kindOf(who), "kept in", ring.path)
}

// readKey reads one line. On a terminal it asks, and shows nothing of what is typed.
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
	return "", &Failure{
		Message: "no key came on standard input: one begins with sla_ or slp_ and has 40 characters",
		Notes:   []string{"Give it from a file that only you can read, or type it when it is asked for:"},
		Fix:     []string{env.again() + " < key.txt", env.again()}, Exit: exitUsage,
	}
}

// secretLine asks on a terminal without showing what is typed, and leaves the terminal as it was, also when it is interrupted.
func (env *Env) secretLine(ctx context.Context, prompt string) (string, error) {
	if !env.terminal() {
		ctx, cancel := context.WithTimeoutCause(ctx, inputWait, errNoInput)
		defer cancel()
		return within(ctx, env.line)
	}
	fd := int(env.In.(*os.File).Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(env.Err, prompt)
	line, err := within(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	fmt.Fprintln(env.Err)
	return string(line), errors.Join(err, term.Restore(fd, before))
}

// terminal reports whether somebody can be asked.
func (env *Env) terminal() bool {
	f, ok := env.In.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// errNoInput means that standard input is open, and that nothing comes.
var errNoInput = errors.New("nothing came on standard input")

// line reads one line, or what there is of it.
func (env *Env) line() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(env.In, keyLine)).ReadString('\n')
	if err == io.EOF {
		err = nil
	}
	return line, err
}

// within returns what read does, or ends as soon as the command is interrupted: a read of a terminal cannot be broken off, so it is left behind.
func within[T any](ctx context.Context, read func() (T, error)) (what T, err error) {
	done := make(chan struct{})
	var got T
	var failed error
	go func() {
		defer close(done)
		got, failed = read()
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return what, &Failure{Message: "interrupted; nothing was sent", Exit: exitOther, cause: context.Cause(ctx)}
	}
}

type whoamiCommand struct {
	target
	Limit int `default:"100" placeholder:"N" help:"Projects to list, at most 1000. (default: ${default})"`
}

// Run shows what the key stands for.
func (c *whoamiCommand) Run(ctx context.Context, env *Env) error {
	s, err := c.here(env)
	if err != nil {
		return err
	}
	if s.asAccount(); s.Key == "" {
		s.asOwner()
	}
	who, err := s.whoAmI(ctx, c.Limit)
	if err != nil || c.JSON {
		return errOr(err, func() error { return env.print(true, who.Text) })
	}
	email := who.Email
	if email != "" && !who.EmailVerified {
		email += " (not confirmed)"
	}
	if err := env.print(false, who.Text, "account", "@"+who.Handle, "email", email, "server", s.server(), "key", kindOf(who)); err != nil {
		return err
	}
	for _, p := range who.Projects {
		fmt.Fprintf(env.Out, "%-40s  version %-4d  %s\n", clean(p.ID), p.Version, clean(p.URL))
	}
	if who.NextCursor != "" {
		env.say("There are more: --limit shows up to 1000.")
	}
	return nil
}

// whoAmI asks what the key stands for.
func (s *session) whoAmI(ctx context.Context, limit int) (who client.Identity, err error) {
	err = s.call(ctx, func() (err error) { who, err = s.WhoAmI(ctx, limit); return err })
	return who, s.explain(ctx, err)
}

func kindOf(who client.Identity) string {
	if who.Key.ProjectID != "" {
		return "of the project " + who.Key.ProjectID
	}
	return "of the account"
}

// here connects to the server that the flags or the folder at hand name.
func (t target) here(env *Env) (*session, error) {
	at, err := findPlace(".")
	if err != nil {
		return nil, err
	}
	return t.connect(env, at)
}

// project is here, and asks for the project as its owner.
func (t target) project(ctx context.Context, env *Env) (*session, client.Project, error) {
	s, err := t.here(env)
	if err != nil {
		return nil, client.Project{}, err
	}
	p, err := s.asOwner().project(ctx)
	return s, p, err
}

// print writes the answer: as it came, or as lines of a name and a value.
func (env *Env) print(asJSON bool, text client.Text, pairs ...string) error {
	if asJSON {
		env.printed = true
		_, err := fmt.Fprintln(env.Out, strings.TrimSpace(text.JSON))
		return err
	}
	rows(env.Out, pairs...)
	return nil
}

// errOr returns err, or what then does if there is none.
func errOr(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

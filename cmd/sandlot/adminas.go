package main

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strings"
	"unicode"

	"sandlot/internal/format/inspect"
)

// acting holds the flags of a command that changes something.
type acting struct {
	storage
	As string `placeholder:"NAME" help:"Who you are, for the audit log. (default: the system user, before sudo)"`
}

// maxName is the longest name of a person, in bytes.
const maxName = 100

// administer runs an operator's command under a name.
func (c acting) administer(ctx context.Context, do func(operator) error) error {
	name := strings.TrimSpace(c.As)
	if name == "" {
		name = systemUser()
	}
	if len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return usageError{fmt.Errorf("--as takes a name of at most %d bytes that can be printed", maxName)}
	}
	return c.administerAs(ctx, inspect.Redact(name), do)
}

// act runs a command that changes something, and prints the sentence about its effect.
func (c acting) act(ctx context.Context, t *terminal, do func(operator) (said string, err error)) error {
	return c.administer(ctx, func(a operator) error {
		said, err := do(a)
		if err == nil {
			fmt.Fprintln(t.out, said)
		}
		return err
	})
}

// justified holds the flags of a command that needs a reason.
type justified struct {
	acting
	Reason string `required:"" placeholder:"TEXT" help:"Reason, kept in the audit log."`
}

// explained holds the flags of a command whose reason may be left out.
type explained struct {
	acting
	Reason string `placeholder:"TEXT" help:"Reason, kept in the audit log. (default: none)"`
}

// systemUser returns the user that runs the program; behind sudo, the user that ran sudo.
func systemUser() string {
	if name := os.Getenv("SUDO_USER"); name != "" && os.Geteuid() == 0 {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}

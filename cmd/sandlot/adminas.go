package main

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strings"
	"unicode"

	"sandlot/internal/publish"
)

// acting is what commands have that change something.
type acting struct {
	dataFolder
	As string `placeholder:"NAME" help:"Who you are, for the audit log. (default: the system user, before sudo)"`
}

// maxName bounds the name of a person, in bytes.
const maxName = 100

// administer runs what an operator asked for, under a name.
func (c acting) administer(ctx context.Context, do func(operator) error) error {
	name := strings.TrimSpace(c.As)
	if name == "" {
		name = systemUser()
	}
	if len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return usageError{fmt.Errorf("--as takes a name of at most %d bytes that can be printed", maxName)}
	}
	return c.dataFolder.administer(ctx, func(a operator) error {
		a.As = publish.Redact(name)
		return do(a)
	})
}

// systemUser is who runs the program: behind sudo the one who asked for it.
func systemUser() string {
	if name := os.Getenv("SUDO_USER"); name != "" && os.Geteuid() == 0 {
		return name
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}

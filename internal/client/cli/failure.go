package cli

import (
	"context"
	"errors"
	"fmt"

	"sandlot/internal/client/client"
)

// The exit codes. docs/cli.md has them, too.
const (
	exitOther    = 1 // of this machine: a file, a disk
	exitUsage    = 2 // the call is wrong in itself
	exitKey      = 3 // it needs a key, or another one
	exitMissing  = 4 // it is about what is not there
	exitConflict = 5 // it does not fit what has happened since
	ExitContent  = 6 // what it brings cannot be taken
	exitLimit    = 7 // a limit or a quota is used up
	exitServer   = 8 // no answer, or a fault of the service
	ExitPartly   = 9 // of several things some were done, and some refused
)

// A Failure is why a command ended, and the commands that mend it.
type Failure struct {
	Message string
	Notes   []string // sentences
	Fix     []string // commands, each of which works when it is pasted, once what is in angle brackets is filled in
	Exit    int
	cause   error
}

// Error says it all, a line each. What comes from elsewhere, the name of a file, say, cannot act in a terminal.
func (f *Failure) Error() string {
	text := clean(f.Message)
	for _, note := range f.Notes {
		text += "\n  " + clean(note)
	}
	for _, command := range f.Fix {
		text += "\n    " + command
	}
	return text
}

func (f *Failure) Unwrap() error { return f.cause }

// usage is a failure of whoever called.
func usage(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Failure{Message: err.Error(), Exit: exitUsage, cause: err}
}

// ExitCode is the exit code for an error of one of these commands; ok tells whether it is of them.
func ExitCode(err error) (code int, ok bool) {
	var f *Failure
	if errors.As(err, &f) && f.Exit != 0 {
		return f.Exit, true
	}
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		return exitOf(refused.Status), true
	case errors.Is(err, client.ErrNoAnswer), errors.Is(err, client.ErrNotAPI):
		return exitServer, true
	}
	return exitOther, f != nil
}

// exitOf is the exit code for a status of HTTP that is none of success. The status of each code of the API is in docs/api.md.
func exitOf(status int) int {
	switch status {
	case 401, 403, 451:
		return exitKey
	case 404:
		return exitMissing
	case 409, 412:
		return exitConflict
	case 413, 415, 422:
		return ExitContent
	case 429, 507:
		return exitLimit
	}
	if status >= 400 && status < 500 {
		return exitUsage
	}
	return exitServer
}

// ended reports whether somebody ended the command.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandlot/internal/client/client"
)

// The exit codes, which docs/cli.md lists, too.
const (
	exitOther    = 1  // a fault of this machine: a file, a disk
	exitUsage    = 2  // the command is wrong in itself
	exitKey      = 3  // a key is missing, or the wrong one
	exitMissing  = 4  // a project, file or version does not exist
	exitConflict = 5  // it conflicts with an earlier change
	ExitContent  = 6  // the files cannot be accepted
	exitLimit    = 7  // a limit or a quota is used up
	exitServer   = 8  // no answer, or a fault of the service
	ExitPartly   = 9  // some of several things were done, and others refused
	exitBroken   = 10 // the play-tester found the page broken
)

// A Failure holds the reason why a command ended, and the commands that mend it.
type Failure struct {
	Message string
	Notes   []string // sentences
	Fix     []string // commands that work when pasted, once their angle brackets are filled in
	Exit    int
	cause   error
}

// Error returns the message, the notes and the commands, a line each. File names and server texts in it cannot act in a
// terminal.
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

// usage returns the failure of a command that is wrong in itself.
func usage(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Failure{Message: err.Error(), Exit: exitUsage, cause: err}
}

// ExitCode returns the exit code for an error of these commands; ok is false for any other error.
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

// exitOf returns the exit code for an HTTP status other than success. docs/api.md lists the status of each code of the
// API.
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

// ended reports whether the user interrupted the command.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// FailureJSON returns an error as one JSON object if the command line has --json: the refusal of the API as it came, or
// one of this program. It returns "" without the flag, and after an answer was printed.
func (env *Env) FailureJSON(err error, exit int) string {
	if env.printed || !env.has("--json") {
		return ""
	}
	var refused *client.Error
	if errors.As(err, &refused) && len(refused.Text) > 0 {
		return strings.TrimSpace(string(refused.Text))
	}
	f := &Failure{Message: err.Error()}
	errors.As(err, &f)
	return encoded(struct {
		Error   string   `json:"error"`
		Message string   `json:"message"`
		Hint    string   `json:"hint,omitempty"`
		Fix     []string `json:"fix,omitempty"`
		Exit    int      `json:"exit_code"`
	}{codeOf(err, exit), clean(f.Message), clean(strings.Join(f.Notes, " ")), f.Fix, exit})
}

// has reports whether the command line has a flag, even behind the place where the parser stopped.
func (env *Env) has(flag string) bool {
	words := env.Args
	if i := slices.Index(words, "--"); i >= 0 {
		words = words[:i]
	}
	return slices.ContainsFunc(words, func(w string) bool { return w == flag || strings.HasPrefix(w, flag+"=") })
}

// codeOf returns the code of this program's refusal, or of another error; docs/cli.md lists the latter.
func codeOf(err error, exit int) string {
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Code != "":
		return string(refused.Code)
	case exit == exitServer:
		return "no_answer"
	case exit == exitOther:
		return "local_failure"
	}
	return "wrong_call"
}

// encoded returns a value as JSON with commands that can be read and pasted.
func encoded(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // only strings and numbers, which cannot fail
	return strings.TrimSpace(out.String())
}

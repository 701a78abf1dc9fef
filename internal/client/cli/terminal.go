package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// inputWait is the time limit for a line on standard input without a terminal: a file or a command delivers it at once.
const inputWait = 30 * time.Second

// keyLine is the size limit of a line with a key, in bytes.
const keyLine = 4 << 10

// errNoInput means that standard input is open but delivers no data.
var errNoInput = errors.New("nothing came on standard input")

// terminal reports whether standard input is a terminal.
func (env *Env) terminal() bool {
	f, ok := env.In.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// secretLine prompts on a terminal and hides the typed text. It restores the terminal, even after an interrupt.
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

// line reads one line, or the last one without its line end.
func (env *Env) line() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(env.In, keyLine)).ReadString('\n')
	if err == io.EOF {
		err = nil
	}
	return line, err
}

// within returns the result of read, or ends as soon as the command is interrupted: a read from a terminal cannot be
// cancelled, so it is left behind.
func within[T any](ctx context.Context, read func() (T, error)) (none T, err error) {
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
		return none, &Failure{Message: "interrupted; nothing was sent", Exit: exitOther, cause: context.Cause(ctx)}
	}
}

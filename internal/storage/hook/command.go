package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// A Command runs a program for each call. It may be used concurrently.
type Command struct {
	path string
	args []string
}

// maxSaid is the most bytes of the errors of a program that an error quotes: the last ones, which say most.
const maxSaid = 400

// Call runs the program with input on its standard input, and returns its standard output: at most 64 KiB, or it is an
// error. The program has PATH and LANG alone in its environment, and an empty folder that is removed afterwards. It is
// ended, with everything that it has started, when ctx ends, when it says too much, and when it has ended itself.
func (c *Command) Call(ctx context.Context, input []byte) ([]byte, error) {
	folder, err := os.MkdirTemp("", "sandlot-hook-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the program: %w", err)
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, c.args...)
	cmd.Dir, cmd.Stdin = folder, bytes.NewReader(input)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=" + os.Getenv("LANG")}
	out, said := &limited{stop: cancel}, &end{}
	cmd.Stdout, cmd.Stderr = out, said
	cmd.WaitDelay = time.Second // a child of it may keep the output open
	endWhole(cmd)
	err = cmd.Run()
	endRest(cmd)
	switch {
	case out.full:
		return nil, errLarge
	case errors.Is(err, exec.ErrWaitDelay): // the program itself has ended well
	case err != nil && len(said.held) > 0:
		return nil, fmt.Errorf("%w, and it said %q", err, said.held)
	case err != nil:
		return nil, err
	}
	return out.held, nil
}

// end keeps the last bytes that are written.
type end struct{ held []byte }

// Write implements io.Writer.
func (e *end) Write(p []byte) (int, error) {
	e.held = append(e.held, p[max(0, len(p)-maxSaid):]...)
	e.held = e.held[max(0, len(e.held)-maxSaid):]
	return len(p), nil
}

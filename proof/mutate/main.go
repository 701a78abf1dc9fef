// Command mutate proves the tests: it takes one promise after another out of a
// copy of the code and runs the tests that must notice. A suite that never failed
// proves nothing.
//
// First the same tests run on the code as it is, and must pass. Then each
// mutation is applied alone. It prints a table, and exits with 1 if one went
// unnoticed.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// command copies the tree and tries each mutation that the flags choose.
func command(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	only := flags.String("only", "", "only mutations with this in their name")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list := slices.DeleteFunc(mutations(), func(m mutation) bool { return !strings.Contains(m.name, *only) })
	if len(list) == 0 {
		return fmt.Errorf("no mutation is named like %q", *only)
	}
	// A copy for each processor: most of a row's time is one compiler and one linker.
	var dirs []string
	for range runtime.NumCPU() {
		dir, err := os.MkdirTemp("", "sandlot-mutate-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := copyTree(ctx, ".", dir); err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	// All texts first: a table that no longer fits should not take ten minutes to say so.
	for _, m := range list {
		if _, err := m.apply(dirs[0]); err != nil {
			return err
		}
	}
	if err := unchanged(ctx, dirs[0], list); err != nil {
		return err
	}
	return try(ctx, dirs, list, out)
}

// try tries the mutations, one at a time in each copy of the tree, and prints a row for each.
func try(ctx context.Context, dirs []string, list []mutation, out io.Writer) error {
	var (
		all      sync.WaitGroup
		mu       sync.Mutex
		survived []error
	)
	next := make(chan mutation)
	for _, dir := range dirs {
		all.Go(func() {
			for m := range next {
				begun := time.Now()
				verdict, err := m.judge(ctx, dir)
				mu.Lock()
				if err != nil {
					survived = append(survived, err)
				}
				if ctx.Err() == nil {
					fmt.Fprintf(out, "%-56s %4.0f s  %s\n", m.name, time.Since(begun).Seconds(), verdict)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range list {
		if ctx.Err() == nil {
			next <- m
		}
	}
	close(next)
	all.Wait()
	return errors.Join(append(survived, ctx.Err())...)
}

// judge tries one mutation, and returns an error if no test noticed it.
func (m mutation) judge(ctx context.Context, dir string) (verdict string, err error) {
	noticed, err := m.try(ctx, dir)
	switch n := len(noticed); {
	case err != nil:
		return "could not be tried", fmt.Errorf("%s: %w", m.name, err)
	case n == 0:
		return "NOT NOTICED by go test " + m.tests, fmt.Errorf("not noticed by go test %s: %s", m.tests, m.name)
	default:
		return fmt.Sprintf("noticed by %d: %s", n, strings.Join(noticed[:min(n, 3)], ", ")), nil
	}
}

// copyTree copies what git tracks, or would: the tree as it lies there.
func copyTree(ctx context.Context, from, to string) error {
	cmd := exec.CommandContext(ctx, "git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z")
	cmd.Dir = from
	names, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(names), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, but still in the index of git
		}
		if err != nil {
			return err
		}
		path := filepath.Join(to, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o700)); err != nil {
			return err
		}
	}
	return nil
}

// unchanged runs the tests on the code as it is: what fails without a mutation
// notices nothing.
func unchanged(ctx context.Context, dir string, list []mutation) error {
	var done []string
	for _, m := range list {
		if slices.Contains(done, m.tests) {
			continue
		}
		done = append(done, m.tests)
		if out, err := goTest(ctx, dir, m.tests); err != nil {
			return fmt.Errorf("go test %s fails without any mutation: %w\n%s", m.tests, err, out)
		}
	}
	return nil
}

// apply returns the file with the mutation in it.
func (m mutation) apply(dir string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, m.file))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%s: %s has %d times %q, where one was expected; proof/mutate/table.go must follow the code", m.name,
			m.file, n, m.old)
	}
	return bytes.Replace(text, []byte(m.old), []byte(m.new), 1), nil
}

// try runs the tests with the mutation and returns those that failed.
func (m mutation) try(ctx context.Context, dir string) (noticed []string, err error) {
	path := filepath.Join(dir, m.file)
	before, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	after, err := m.apply(dir)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, after, 0o600); err != nil {
		return nil, err
	}
	out, failed := goTest(ctx, dir, m.tests)
	if err := errors.Join(os.WriteFile(path, before, 0o600), ctx.Err()); err != nil || failed == nil {
		return nil, err
	}
	if noticed = failures(out); len(noticed) == 0 {
		return nil, fmt.Errorf("no test failed, and yet: %w\n%s", failed, out)
	}
	return noticed, nil
}

// testLimit ends tests that a mutation makes wait for ever.
const testLimit = "-timeout=3m"

// goTest runs the tests of the gate. A row that must be noticed by a test of the soak names it.
func goTest(ctx context.Context, dir, args string) ([]byte, error) {
	flags := []string{"test", testLimit, "-failfast"}
	if !strings.Contains(args, "TestSoak") {
		flags = append(flags, "-skip=^TestSoak")
	}
	cmd := exec.CommandContext(ctx, "go", append(flags, strings.Fields(args)...)...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SANDLOT_") ||
			strings.HasPrefix(v, "SANDLOT_TEST_") { // SANDLOT_BIN would be a program without the mutation
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GOFLAGS=-buildvcs=false -trimpath -vet=off",
		"SANDLOT_TEST_REQUIRE=all") // so that what is built of other packages is the same wherever the copy lies
	return cmd.CombinedOutput()
}

// failures lists the tests that failed, without their subtests.
func failures(out []byte) (names []string) {
	for line := range strings.Lines(string(out)) {
		name, failed := strings.CutPrefix(line, "--- FAIL: ")
		if timedOut := strings.HasPrefix(line, "panic: test timed out"); timedOut {
			name, failed = "a test that never ended", true
		}
		if failed {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " (")
			names = append(names, name)
		}
	}
	return names
}

// Package testenv gives tests the things that lie outside the Go module: other programs, rights on the machine, and the built sandlot
// binary. Only tests import it.
//
// A test says what it needs and goes on; what happens when it is not there is decided here, once for all. On a developer's machine the
// test is skipped, and the closing line of scripts/test names what was left out. Where the environment says SANDLOT_TEST_REQUIRE=all, as
// the gate does, the test fails instead, so that no test can quietly stop running. For that to hold, tests never skip in another way.
package testenv

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const (
	requireEnv = "SANDLOT_TEST_REQUIRE"
	leftOutEnv = "SANDLOT_TEST_LEFT_OUT"

	binaryEnv       = "SANDLOT_BIN"
	instrumentedEnv = "SANDLOT_TEST_INSTRUMENTED"
	packagesEnv     = "SANDLOT_TEST_NODE_MODULES"
)

// unkeyed returns a variable that does not decide what a test finds, such as the port of a server. os.Getenv would make the value a part of
// the key under which go test caches a result, and no result would serve a second run.
func unkeyed(name string) string {
	value, _ := syscall.Getenv(name)
	return value
}

// Need returns if every one of the programs is found on the PATH; otherwise it ends the test as Skip does, naming the missing ones.
func Need(tb testing.TB, programs ...string) {
	tb.Helper()
	var missing []string
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		Skip(tb, strings.Join(missing, ", "))
	}
}

// Skip ends the test because what it needs, a capability such as "root" or "mounting a file system", is not to be had. The test is
// skipped, or fails if SANDLOT_TEST_REQUIRE is "all". In both cases what is added as one line to the file that SANDLOT_TEST_LEFT_OUT
// names, if it names one. Tests and processes may do so at once.
func Skip(tb testing.TB, what string) {
	tb.Helper()
	if err := record(os.Getenv(leftOutEnv), what); err != nil {
		tb.Fatalf("record that %s was left out: %v", what, err)
	}
	if os.Getenv(requireEnv) == "all" {
		tb.Fatalf("%s is not to be had here, and %s=all asks for it", what, requireEnv)
	}
	tb.Skipf("left out: %s", what)
}

// NodePackages returns the folder in which scripts/test has installed the packages of proof/foreign/package-lock.json, for Node. It ends the
// test as Skip does where one of them is missing, such as without a network.
func NodePackages(tb testing.TB) string {
	tb.Helper()
	Need(tb, "node")
	packages := os.Getenv(packagesEnv)
	if packages == "" {
		Skip(tb, "the packages of the foreign clients")
	}
	return packages
}

// Unraced marks a test that the race detector would make too slow, or whose figures it would falsify. Under the race detector the test is
// skipped.
func Unraced(tb testing.TB) {
	tb.Helper()
	if raceEnabled {
		tb.Skipf("runs without the race detector only")
	}
}

// record appends one line to the file of that name; without a name it does nothing.
func record(name, what string) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	// One write of one short line: appended whole beside those of other processes.
	_, err = f.WriteString(strings.ReplaceAll(what, "\n", " ") + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

//go:build !failpoints

package failpoint_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"sandlot/internal/expect"
	"sandlot/internal/testenv"
)

func TestTheProgramHasNoFailpoints(t *testing.T) {
	program, err := os.ReadFile(testenv.Binary(t))
	expect.OK(t, err)
	if bytes.Contains(program, []byte("SANDLOT_TEST_FAILPOINT")) {
		t.Error("the program can be told to kill itself")
	}
}

// TestTheOtherBuild runs the tests that only the tag compiles, which nobody would
// run otherwise.
func TestTheOtherBuild(t *testing.T) {
	if out, err := exec.Command("go", "test", "-count=1", "-tags", "failpoints", "-ldflags=-checklinkname=0", ".").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

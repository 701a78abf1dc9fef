//go:build !failpoints

package failpoint_test

import (
	"bytes"
	"os"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestTheProgramHasNoFailpoints(t *testing.T) {
	program, err := os.ReadFile(testenv.Binary(t))
	expect.OK(t, err)
	if bytes.Contains(program, []byte("SANDLOT_TEST_FAILPOINT")) {
		t.Error("the program can be told to kill itself")
	}
}

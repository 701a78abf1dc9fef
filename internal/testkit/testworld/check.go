package testworld

import (
	"fmt"
	"testing"

	"sandlot"
)

// Refused ends the test unless err is a refusal with this code, which has a message without a key. It returns the refusal.
func Refused(t testing.TB, err error, code sandlot.Code) *sandlot.Error {
	t.Helper()
	e := sandlot.AsError(err)
	if e == nil || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	if e.Message == "" || sandlot.KeyPattern.MatchString(fmt.Sprintf("%s %+v %+v", e.Message, e.Fix, e.Details)) {
		t.Errorf("the message is empty or tells a key: %q", e.Message)
	}
	return e
}

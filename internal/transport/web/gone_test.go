package web

import (
	"context"
	"net/http"
	"testing"

	"sandlot/internal/testkit/expect"
)

// TestWhoHasLeftIsNoFaultOfTheService: nobody reads what is answered, but 500 would be counted as a fault.
func TestWhoHasLeftIsNoFaultOfTheService(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.fail("Project", context.Canceled)
	expect.Equal(t, "the status", request(h, "GET", "/p/"+string(gameID), "").StatusCode, http.StatusServiceUnavailable)
}

package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestAComparisonHasABoundedPageWhateverIsInTheFiles(t *testing.T) {
	t.Parallel()
	h := house(t)
	for i, of := range []string{
		strings.Repeat(strings.Repeat("\x01", 100)+"\n", 2_500), strings.Repeat(strings.Repeat("<", 599)+"\n", 430), strings.Repeat("\n", maxCompared), strings.Repeat("\r", maxCompared),
	} {
		h.put(gameID, 3+i, "a.txt", of)
	}
	for _, version := range []string{"4", "5", "6", "7"} {
		resp := asKim(h, "GET", ownAt+"/versions/"+version+"/diff?file=a.txt", "")
		body := text(t, resp)
		if resp.StatusCode != http.StatusOK || len(body) > 2<<20 || !strings.Contains(body, "<tr class=") {
			t.Errorf("of version %s the page is %d and has %d bytes", version, resp.StatusCode, len(body))
		}
	}
}

func TestOneComparisonAtATimeIsMade(t *testing.T) {
	t.Parallel()
	h := house(t)
	h.put(gameID, 3, "a.txt", "one")
	h.put(gameID, 4, "a.txt", "two")
	made, sent, err := h.comparisons.Begin(t.Context(), 1<<40) // another account's
	expect.OK(t, err)
	defer sent()
	answer := make(chan int)
	go func() { answer <- asKim(h, "GET", ownAt+"/versions/5/diff?file=a.txt", "").StatusCode }()
	testenv.Eventually(t, 30*time.Second, "the account's comparison is on its way", func() bool { return h.comparisons.Busy(h.kim.account.ID) })
	select {
	case status := <-answer:
		t.Errorf("it is answered with %d before its turn", status)
	default:
	}
	made()
	expect.Equal(t, "the answer", <-answer, http.StatusOK)
}

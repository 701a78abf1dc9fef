package api

import (
	"runtime"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
)

const (
	// listsHeld is the number of answers with all files of a project that an account has at once, until its client has
	// read them: each weighs up to 6 MB, for 10,000 files. Agents that request more wait a moment.
	listsHeld = 8
	// listWait is the longest wait of an answer for others: shorter than the patience of most clients.
	listWait = 20 * time.Second
	// listAgain is the time after which to try again: an answer over a slow line takes longer than a short wait.
	listAgain = 5 * time.Second
)

// newLists limits the answers that list all files of a project. Reading such a list keeps a processor busy, and more
// than two for each processor would wait while holding their lists.
func newLists() *turns.Lists[sandlot.AccountID] {
	return turns.NewLists[sandlot.AccountID](2*runtime.GOMAXPROCS(0), listsHeld, listWait)
}

// begin waits until the caller may have a list of files: see turns.Lists. A caller without an account gets none, and
// does not wait.
func (a *API) begin(c *call) (made, sent func(), err error) {
	if c.By.Account() == 0 {
		return func() {}, func() {}, nil
	}
	made, sent, err = a.lists.Begin(c.R.Context(), c.By.Account())
	if err != nil {
		err = sandlot.Refuse(sandlot.CodeUnavailable, "Too many lists of files are being sent. Nothing was changed.").After(listAgain).With(sandlot.OpWait).Note("Read the answers that are on their way to their end, or send the same request again later.")
	}
	return made, sent, err
}

package api

import (
	"runtime"
	"time"

	"sandlot"
	"sandlot/internal/base/turns"
)

const (
	// listsHeld is how many answers with all files of a project an account has at once, until its client has read them: each weighs up to
	// 6 MB, of 10,000 files. Agents that ask for more wait a moment.
	listsHeld = 8
	// listWait is how long an answer waits for others: less than most clients do.
	listWait = 20 * time.Second
	// listAgain is when to try again: an answer over a slow line takes longer than one that is read.
	listAgain = 5 * time.Second
)

// newLists bounds the answers that list all files of a project. Reading such a list keeps a processor busy, and more at once than twice as many
// as there are would wait with what they have read.
func newLists() *turns.Lists[sandlot.AccountID] {
	return turns.NewLists[sandlot.AccountID](2*runtime.GOMAXPROCS(0), listsHeld, listWait)
}

// begin waits until the caller may have a list of files: see turns.Lists. Whoever has no account gets none, and waits for nobody.
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

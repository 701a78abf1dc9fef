package publish_test

import (
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestRegressionM34WhatWasTakenDownStaysForTheOperator: its owner deleted it, and the bytes were gone after a week.
func TestRegressionM34WhatWasTakenDownStaysForTheOperator(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	p := w.PublishPage(testworld.Nobody(), "<!doctype html><title>Login</title>").Project
	owner, operator := w.OwnerOf(p.Account), sandlot.AsOperator("anna")
	_, err := w.Operate.Suspend(t.Context(), operator, string(p.ID), "phishing")
	expect.OK(t, err)
	_, err = w.Publish.DeleteProject(t.Context(), owner, string(p.ID), string(p.ID))
	expect.OK(t, err)
	_, err = w.Publish.Trash.Purge(t.Context(), owner, p.ID)
	expect.Is(t, "for good by its owner", err, sandlot.CodeTakenDown)
	_, err = w.Operate.Reinstate(t.Context(), operator, string(p.ID), "a mistake")
	expect.OK(t, err)
	_, err = w.Publish.Trash.Purge(t.Context(), owner, p.ID)
	expect.OK(t, err)
}

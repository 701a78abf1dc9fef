package operate_test

import (
	"context"
	"errors"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/heads"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
	"sandlot/internal/testkit/testworld"
)

// TestTheOperatorsActsAreSeenWithinTheHold: they come through the store alone, as from another process.
func TestTheOperatorsActsAreSeenWithinTheHold(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	p := w.PublishPage(testworld.Nobody(), page).Project
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { w.Publish.Heads.Run(ctx, nil); close(done) }()
	defer func() { stop(); <-done }()
	sees := func(want error) {
		t.Helper()
		testenv.Eventually(t, 5*heads.Hold, "the operator's act is seen", func() bool {
			_, err := w.Publish.Reader.Current(t.Context(), testworld.Nobody(), p.ID)
			return errors.Is(err, want)
		})
	}
	sees(nil)
	if _, err := w.Operate.Suspend(t.Context(), byOperator, string(p.ID), "spam"); err != nil {
		t.Fatal(err)
	}
	sees(sandlot.CodeTakenDown)
	_, err := w.Publish.Reader.AtVersion(t.Context(), testworld.Nobody(), p.ID, 1, p.Suffix)
	testworld.Refused(t, err, sandlot.CodeTakenDown)
	testworld.Refused(t, w.Gallery.Touch(t.Context(), testworld.Nobody(), p.ID, gallery.Player{ID: "player"}), sandlot.CodeTakenDown)
	_, err = w.Operate.Reinstate(t.Context(), byOperator, string(p.ID), "not spam")
	expect.OK(t, err)
	sees(nil)
}

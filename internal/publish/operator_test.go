package publish_test

import (
	"context"
	"errors"
	"testing"

	"sandlot/internal/gallery"
	"sandlot/internal/publish"
	"sandlot/internal/testenv"
)

// TestTheOperatorsActsAreSeenWithinTheHold: they come through the store alone, as from another process.
func TestTheOperatorsActsAreSeenWithinTheHold(t *testing.T) {
	w := newWorld(t)
	p := w.publish(nobody(), page).Project
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { w.Heads.Run(ctx, nil); close(done) }()
	defer func() { stop(); <-done }()
	sees := func(want error) {
		t.Helper()
		testenv.Eventually(t, 5*publish.HeadsHold, "the operator's act is seen", func() bool {
			_, err := w.Site(t.Context(), nobody(), p.ID)
			return errors.Is(err, want)
		})
	}
	sees(nil)
	if _, err := w.operator().Suspend(t.Context(), byOperator, string(p.ID), "spam"); err != nil {
		t.Fatal(err)
	}
	sees(publish.CodeTakenDown)
	_, err := w.SiteVersion(t.Context(), nobody(), p.ID, 1, p.Suffix)
	refused(t, err, publish.CodeTakenDown)
	refused(t, w.in.Gallery.Touch(t.Context(), nobody(), p.ID, gallery.Player{ID: "player"}), publish.CodeTakenDown)
	if _, err := w.operator().Restore(t.Context(), byOperator, string(p.ID), "not spam"); err != nil {
		t.Fatal(err)
	}
	sees(nil)
}

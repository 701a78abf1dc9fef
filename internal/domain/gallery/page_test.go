package gallery_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestAPageTellsWhatAnybodyMayKnowOfAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody())
	by, id := w.owner(out.Project.Account), out.Project.ID
	expect.OK(t, w.in.Publish.Describe(t.Context(), by, id, publish.DescribeInput{Details: publish.Details{Title: "Pong", Description: "One\ntwo"}}))
	w.Play(t.Context(), nobody(), id, gallery.Player{ID: gallery.PlayerID(rand.Text())})
	got, err := w.ProjectPage(t.Context(), nobody(), id)
	if err != nil || got.Project.ID != id || got.Project.Title != "Pong" || got.Description != "One\ntwo" || got.Stats.Plays != 1 {
		t.Errorf("it is %+v, %v", got, err)
	}
}

func TestAMissingProjectHasNoPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.publish(nobody()).Project.ID
	at := w.in.Config.Places.Project(id, 1, "").Page
	for _, id := range []sandlot.ProjectID{"", "nothing-abc234", sandlot.ProjectID(at), sandlot.ProjectID(strings.Repeat("x", 5000))} {
		if _, err := w.ProjectPage(t.Context(), nobody(), id); !errors.Is(err, sandlot.ErrNotFound) && !errors.Is(err, sandlot.CodeProjectNotFound) {
			t.Errorf("%.20q: %v", id, err)
		}
	}
	w.suspend(string(id))
	_, err := w.ProjectPage(t.Context(), nobody(), id)
	expect.Is(t, "taken down", err, sandlot.CodeTakenDown)
}

package publish_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"sandlot/internal/publish"
)

func TestAPageTellsWhatAnybodyMayKnowOfAProject(t *testing.T) {
	w := newWorld(t)
	by, id := w.managed()
	if err := w.Describe(t.Context(), by, id, publish.Details{Title: "Pong", Description: "One\ntwo"}); err != nil {
		t.Fatal(err)
	}
	w.Play(t.Context(), nobody(), id, publish.Visitor{ID: publish.PlayerID(rand.Text())})
	got, err := w.ProjectPage(t.Context(), nobody(), id)
	if err != nil || got.Project.ID != id || got.Project.Title != "Pong" || got.Description != "One\ntwo" || got.Stats.Plays != 1 {
		t.Errorf("it is %+v, %v", got, err)
	}
}

func TestThereIsNoPageOfWhatIsNoProject(t *testing.T) {
	w := newWorld(t)
	_, id := w.managed()
	at := w.Places.Project(id, 1, "").Page
	for _, id := range []publish.ProjectID{"", "nothing-abc234", publish.ProjectID(at), publish.ProjectID(strings.Repeat("x", 5000))} {
		if _, err := w.ProjectPage(t.Context(), nobody(), id); !errors.Is(err, publish.ErrNotFound) && !errors.Is(err, publish.CodeProjectNotFound) {
			t.Errorf("%.20q: %v", id, err)
		}
	}
	if _, err := w.operator().Suspend(t.Context(), byOperator, string(id), "spam"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ProjectPage(t.Context(), nobody(), id); !errors.Is(err, publish.CodeTakenDown) {
		t.Errorf("taken down: %v", err)
	}
}

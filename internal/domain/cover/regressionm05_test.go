package cover_test

import (
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

func TestRegressionM05APortraitIsReadWhereItWasAcknowledged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	shown := func() sandlot.PictureID {
		p, err := w.Publish.Reader.Current(t.Context(), testworld.Nobody(), w.id)
		expect.OK(t, err)
		return p.Portrait
	}
	expect.Equal(t, "before", shown(), "")
	expect.OK(t, w.Covers.SetPortrait(t.Context(), w.owner, strings.NewReader(plain("red", 300, 500))))
	if shown() == "" {
		t.Error("the portrait is not there")
	}
	expect.OK(t, w.Covers.RemovePortrait(t.Context(), w.owner))
	expect.Equal(t, "after it was removed", shown(), "")
}

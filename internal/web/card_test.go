package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net/http/httptest"
	"testing"

	"sandlot/internal/card"
	"sandlot/internal/expect"
	"sandlot/internal/publish"
	"sandlot/internal/turns"
)

// oneCover is a picture, or the reason why there is none.
type oneCover struct {
	bytes []byte
	err   error
}

func (c oneCover) Picture(context.Context, publish.Caller, publish.PictureID, int) ([]byte, error) {
	return c.bytes, c.err
}

func TestACardShowsTheCoverOrWhereThatIsGoneTheTile(t *testing.T) {
	t.Parallel()
	var plain bytes.Buffer
	expect.OK(t, png.Encode(&plain, image.NewGray(image.Rect(0, 0, 128, 72))), "encode")
	p := publish.Project{ID: "game-abc123", Title: "Chess", Handle: "kim"}
	draw := func(cover publish.PictureID, of oneCover) ([]byte, error) {
		s := &shares{covers: of, press: card.New(card.Fonts{}, slog.New(slog.DiscardHandler)), drawers: turns.NewShares[string](maxOfOne)}
		p.Cover = cover
		return newPictures().get(t.Context(), "card", s.cardOf(&visit{r: httptest.NewRequest("GET", "/", nil)}, p))
	}
	tile, err := draw("", oneCover{})
	expect.OK(t, err, "without a cover")
	if shown, err := draw("pabc", oneCover{bytes: plain.Bytes()}); err != nil || bytes.Equal(shown, tile) {
		t.Errorf("with a cover it is the same, or none: %v", err)
	}
	for _, gone := range []error{publish.ErrNotFound, fmt.Errorf("read: %w", publish.ErrCorrupt)} {
		if shown, err := draw("pabc", oneCover{err: gone}); err != nil || !bytes.Equal(shown, tile) {
			t.Errorf("with %v it is another, or none: %v", gone, err)
		}
	}
	if _, err := draw("pabc", oneCover{err: publish.ErrUnavailable}); !errors.Is(err, publish.ErrUnavailable) {
		t.Errorf("while nobody can tell it is drawn: %v", err)
	}
}

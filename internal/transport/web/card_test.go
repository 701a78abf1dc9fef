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

	"sandlot"
	"sandlot/internal/base/turns"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/web/card"
)

// oneCover is a picture, or the reason why there is none.
type oneCover struct {
	bytes []byte
	err   error
}

func (c oneCover) Picture(context.Context, sandlot.Caller, sandlot.PictureID, int) ([]byte, error) {
	return c.bytes, c.err
}

func TestACardShowsTheCoverOrWhereThatIsGoneTheTile(t *testing.T) {
	t.Parallel()
	var plain bytes.Buffer
	expect.OK(t, png.Encode(&plain, image.NewGray(image.Rect(0, 0, 128, 72))), "encode")
	p := sandlot.Project{ID: "game-abc123", Title: "Chess", Handle: "kim"}
	draw := func(cover sandlot.PictureID, of oneCover) ([]byte, error) {
		s := &shares{covers: of, press: card.New(card.Fonts{}, slog.New(slog.DiscardHandler)), drawers: turns.NewShares[string](maxOfOne)}
		p.Cover = cover
		return newPictures().get(t.Context(), "card", s.cardOf(&visit{r: httptest.NewRequest("GET", "/", nil)}, p))
	}
	tile, err := draw("", oneCover{})
	expect.OK(t, err, "without a cover")
	if shown, err := draw("pabc", oneCover{bytes: plain.Bytes()}); err != nil || bytes.Equal(shown, tile) {
		t.Errorf("with a cover it is the same, or none: %v", err)
	}
	for _, gone := range []error{sandlot.ErrNotFound, fmt.Errorf("read: %w", sandlot.ErrCorrupt)} {
		if shown, err := draw("pabc", oneCover{err: gone}); err != nil || !bytes.Equal(shown, tile) {
			t.Errorf("with %v it is another, or none: %v", gone, err)
		}
	}
	if _, err := draw("pabc", oneCover{err: sandlot.ErrUnavailable}); !errors.Is(err, sandlot.ErrUnavailable) {
		t.Errorf("while nobody can tell it is drawn: %v", err)
	}
}

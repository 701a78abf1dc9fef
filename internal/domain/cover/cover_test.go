package cover_test

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/spool"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/cover"
	"sandlot/internal/format/picture"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

const (
	bare  = "<!doctype html><title>Pong</title><p>play"
	names = `<!doctype html><meta property="og:image" content="/art/shown.png"><p>play`
)

func TestACoverIsTheFirstThatIsThereOfItsSources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, names)
	w.work()
	if m := w.mine(); m.Cover != "" || m.Source != cover.FromNothing || len(m.Findings) != 1 || m.Findings[0].Kind != cover.Missing || m.Findings[0].File != "art/shown.png" {
		t.Errorf("without a file it is %+v", m)
	}
	for _, row := range []struct {
		name, colour string
		source       cover.Source
	}{{"art/shown.png", "green", cover.FromDocument}, {"cover.webp.png", "green", cover.FromDocument}, {"cover.jpeg", "red", cover.FromCover}, {"Cover.PNG", "blue", cover.FromCover}} {
		file := plain(row.colour, 64, 64)
		if row.source == cover.FromDocument {
			file = plain(row.colour, 64, 36)
		}
		w.PutFile(w.key, w.id, row.name, file)
		w.work()
		expect.Equal(t, row.name+": source", w.mine().Source, row.source)
		expect.Equal(t, row.name+": colour", w.colour(), row.colour)
	}
}

func TestTheOwnersWishGoesBeforeAllElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	w.PutFile(w.key, w.id, "cover.png", plain("red", 64, 36))
	w.PutFile(w.key, w.id, "b.png", plain("blue", 64, 36))
	w.work()
	expect.Equal(t, "without a wish", w.colour(), "red")
	ctx := t.Context()
	expect.OK(t, w.Covers.Upload(ctx, w.owner, w.id, strings.NewReader(plain("green", 640, 360))))
	expect.Equal(t, "uploaded", w.colour(), "green")
	w.PutFile(w.key, w.id, "c.js", "1")
	w.work()
	expect.Equal(t, "uploaded, at the next version", w.colour(), "green")
	expect.OK(t, w.Covers.ChooseFile(ctx, w.owner, w.id, "b.png"))
	expect.Equal(t, "chosen", w.colour(), "blue")
	before := w.mine().Cover
	w.PutFile(w.key, w.id, "c.js", "2")
	w.work()
	expect.Equal(t, "the same file at the next version", w.mine().Cover, before)
	w.PutFile(w.key, w.id, "b.png", plain("green", 64, 36))
	w.work()
	expect.Equal(t, "the file as it is now", w.colour(), "green")
	expect.OK(t, w.Covers.ChooseNone(ctx, w.owner, w.id))
	w.PutFile(w.key, w.id, "c.js", "3")
	w.work()
	expect.Equal(t, "none", w.colour(), "")
	expect.OK(t, w.Covers.ChooseAutomatic(ctx, w.owner, w.id))
	w.work()
	expect.Equal(t, "automatic again", w.colour(), "red")
	expect.Is(t, "a file that is not there", w.Covers.ChooseFile(ctx, w.owner, w.id, "none.png"), sandlot.ErrNotFound)
}

func TestAShotStandsAfterTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t, names)
	w.PutFile(w.key, w.id, "a.js", "1")
	w.work()
	expect.OK(t, w.worker.Shot(t.Context(), w.id, 1, []byte(plain("green", 640, 360))))
	w.work()
	expect.Equal(t, "a shot of another version", w.mine().Source, cover.FromNothing)
	expect.OK(t, w.worker.Shot(t.Context(), w.id, 2, []byte(plain("blue", 640, 360))))
	expect.OK(t, w.worker.Shot(t.Context(), w.id, 2, make([]byte, 1000))) // no picture
	expect.OK(t, w.worker.Shot(t.Context(), "nobodys", 2, []byte(plain("red", 640, 360))))
	w.work()
	expect.Equal(t, "the shot", w.colour(), "blue")
	w.PutFile(w.key, w.id, "art/shown.png", plain("green", 64, 36))
	w.work()
	expect.Equal(t, "the document's", w.colour(), "green")
}

func TestWhatCannotBeUsedIsToldAndTheNextSourceTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, names)
	w.PutFile(w.key, w.id, "cover.png", "\x00\x00\x00\x20ftypisom a movie")
	w.PutFile(w.key, w.id, "cover.webp", `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	w.PutFile(w.key, w.id, "art/shown.png", plain("blue", 64, 36))
	w.work()
	m := w.mine()
	if len(m.Findings) != 2 || m.Findings[0] != (cover.Finding{Source: cover.FromCover, File: "cover.png", Problem: picture.Problem{Kind: picture.OtherFormat, Format: "MP4"}}) || m.Findings[1].Format != "SVG" || m.Findings[0].Message() != "Its format is MP4. Save one picture of it as a PNG, JPEG or WebP file, and take that." || m.Source != cover.FromDocument {
		t.Errorf("it is %+v", m)
	}
	err := w.Covers.Upload(t.Context(), w.owner, w.id, strings.NewReader("GIF89a"))
	var p *picture.Problem
	if !errors.As(err, &p) || p.Format != "GIF" || w.mine().Source != cover.FromDocument {
		t.Errorf("an upload of a GIF is %v", err)
	}
}

func TestAPictureIsNotServedWhenItsProjectWasTakenDownOrIsAnothers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	w.PutFile(w.key, w.id, "cover.png", plain("red", 64, 36))
	w.work()
	id := w.mine().Cover
	get := func() error {
		_, err := w.Covers.Picture(t.Context(), testworld.Nobody(), id, 640)
		return err
	}
	expect.OK(t, get())
	operator := w.operator()
	_, err := operator.Suspend(t.Context(), sandlot.AsOperator("op"), string(w.id), "spam")
	expect.OK(t, err)
	expect.Is(t, "of a project that was taken down", get(), sandlot.ErrNotFound)
	_, err = operator.Reinstate(t.Context(), sandlot.AsOperator("op"), string(w.id), "no spam")
	expect.OK(t, err)
	expect.OK(t, get(), "after it was reinstated")
	expect.OK(t, w.Covers.ChooseNone(t.Context(), w.owner, w.id))
	expect.OK(t, get(), "just after it was replaced")
	w.Clock.Move(10 * time.Minute)
	expect.Is(t, "a while after it was replaced", get(), sandlot.ErrNotFound)
}

func TestManyProjectsOfOneAccountKeepNobodyFromTheirTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	for range 12 {
		w.PublishPage(w.key, bare)
	}
	_, other, p := w.Owned("lee@example.org", bare)
	_ = other
	_, err := w.worker.Round(t.Context())
	expect.OK(t, err)
	_, state, err := w.DB.Covers().Cover(t.Context(), p.ID)
	expect.OK(t, err)
	if state.Due {
		t.Error("the other's cover still waits")
	}
}

func TestWhoSendsAPictureSlowlyKeepsNobodyFromTheirTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	sent, send := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := w.Covers.Upload(t.Context(), w.owner, w.id, sent)
		sent.Close() // it may end before it reads what comes late
		ended <- err
	}()
	_, err := io.WriteString(send, plain("red", 64, 36)[:60])
	expect.OK(t, err)
	lee, _, _ := w.Owned("lee@example.org", bare)
	expect.OK(t, w.Covers.SetPortrait(t.Context(), w.OwnerOf(lee.ID), strings.NewReader(plain("red", 64, 64))), "another's picture meanwhile")
	w.Clock.Move(10 * time.Minute)
	if _, err = io.WriteString(send, "more"); err != nil {
		expect.Is(t, "to send more", err, io.ErrClosedPipe)
	}
	var p *picture.Problem
	if err := <-ended; !errors.As(err, &p) || p.Kind != picture.Slow {
		t.Errorf("what takes ten minutes to come ends with %v", err)
	}
}

func TestAPictureThatTookTooLongIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	w.PutFile(w.key, w.id, "cover.png", plain("red", 64, 36))
	var spent time.Duration
	leaps := func() time.Duration { spent += 2 * time.Second; return spent } // as where other work of the thread is reckoned to it
	busy := cover.NewWorker(cover.New(cover.Config{Store: w.Served.Covers(), Content: w.Publish.Contents, Projects: w.Publish.Reader, Places: w.Config.Places, Now: w.Clock.Now, Spent: leaps}), slog.New(slog.DiscardHandler), &worker.Failures{})
	_, err := busy.Round(t.Context())
	expect.OK(t, err)
	m := w.mine()
	expect.Same(t, "due, tries and findings after the first time", []any{m.Due, m.Tries, len(m.Findings)}, []any{true, 1, 0})
	w.work()
	expect.Equal(t, "in the end", w.colour(), "red")
}

// meanwhile is a content that is read after something has happened.
type meanwhile struct {
	cover.Content
	happens func()
}

func (m meanwhile) Receive(all *spool.Spool, r io.Reader, limit int64) error {
	m.happens()
	return m.Content.Receive(all, r, limit)
}

func TestAChosenFileThatIsReplacedMeanwhileIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bare)
	w.PutFile(w.key, w.id, "a.png", plain("red", 64, 36))
	content := meanwhile{w.Publish.Contents, func() { w.PutFile(w.key, w.id, "a.png", plain("blue", 64, 36)) }}
	s := cover.New(cover.Config{Store: w.Served.Covers(), Content: content, Projects: w.Publish.Reader, Places: w.Config.Places, Now: w.Clock.Now})
	expect.OK(t, s.ChooseFile(t.Context(), w.owner, w.id, "a.png"))
	w.work()
	expect.Equal(t, "the file as it is now", w.colour(), "blue")
}

package cover_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"testing"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// A world has kim, who is logged in, and her project.
type world struct {
	*testworld.World
	t      *testing.T
	kim    sandlot.Account
	key    sandlot.Caller
	owner  sandlot.Caller
	id     sandlot.ProjectID
	worker *cover.Worker
}

func newWorld(t *testing.T, page string) *world {
	t.Helper()
	w := &world{World: testworld.New(t), t: t}
	w.worker = cover.NewWorker(w.Covers, slog.New(slog.DiscardHandler), &worker.Failures{})
	var p sandlot.Project
	w.kim, w.key, p = w.Owned("kim@example.org", page)
	w.id, w.owner = p.ID, w.OwnerOf(w.kim.ID)
	return w
}

// operator acts at the node itself.
func (w *world) operator() *operate.Service {
	w.t.Helper()
	s, err := operate.New(w.t.Context(), operate.Config{}, w.Served.Operate(), operate.WithClock(w.Now))
	expect.OK(w.t, err)
	return s
}

// work has the worker make what is to be made.
func (w *world) work() {
	w.t.Helper()
	for range 3 {
		_, err := w.worker.Round(w.t.Context())
		expect.OK(w.t, err, "round")
	}
}

// mine returns the cover of kim's project as she sees it.
func (w *world) mine() cover.Mine {
	w.t.Helper()
	m, err := w.Covers.Cover(w.t.Context(), w.owner, w.id)
	expect.OK(w.t, err)
	return m
}

// colour is that of the middle of the cover, by its strongest part; empty without one.
func (w *world) colour() string {
	w.t.Helper()
	id := w.mine().Cover
	if id == "" {
		return ""
	}
	b, err := w.Covers.Picture(w.t.Context(), testworld.Nobody(), id, 320)
	expect.OK(w.t, err)
	img, _, err := image.Decode(bytes.NewReader(b))
	expect.OK(w.t, err)
	r, g, bl, _ := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
	switch max(r, g, bl) {
	case r:
		return "red"
	case g:
		return "green"
	}
	return "blue"
}

// plain is a PNG of one colour.
func plain(name string, w, h int) string {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	c := map[string]color.RGBA{"red": {230, 20, 20, 255}, "green": {20, 230, 20, 255}, "blue": {20, 20, 230, 255}}[name]
	for i := range w * h {
		img.SetRGBA(i%w, i/w, c)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	return out.String()
}

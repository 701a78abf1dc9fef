package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/testkit/expect"
)

// figured writes what was counted of a project.
func (w *world) figured(id sandlot.ProjectID, added figures.Added) {
	w.t.Helper()
	_, err := w.db.Gallery().AddCounts(w.t.Context(), map[sandlot.ProjectID]gallery.Counts{id: {Plays: added.Whole().Plays, Figures: added}})
	expect.OK(w.t, err)
}

func TestStatisticsOfAProject(t *testing.T) {
	t.Parallel()
	h := house(t)
	const at = ownAt + "/statistics"
	expect.Contains(t, "the manage page", text(t, asKim(h, "GET", ownAt, "")), `href="`+at+`"`)
	expect.Contains(t, "the overview", text(t, asKim(h, "GET", "/account", "")), `href="`+at+`"`)
	empty := text(t, asKim(h, "GET", at, ""))
	for _, want := range []string{"Aucune partie sur cette période", "/p/" + string(gameID) + "</a>", `data-copy="link"`} {
		expect.Contains(t, "a project that nobody played", empty, want)
	}
	var added figures.Added
	for i := range 1234 {
		added.Play(1, fmt.Sprint(i%10), []string{"", "-news.example.com"}[i%2])
		added.Length(1, 3*time.Minute)
	}
	h.figured(gameID, added)
	page := text(t, asKim(h, "GET", at+"?days=7", ""))
	for _, want := range []string{`aria-current="page">7 jours`, "<dd>1\u202f234</dd>", "<dd>10</dd>", "<bdi>-news.example.com</bdi>", "<bdi>Accès direct</bdi>", `role="img" aria-label="Parties par jour, du `, ": 1\u202f234</title>", `<p class="fig-none">Rien sur cette période</p>`, "&lt;script&gt;"} {
		expect.Contains(t, "the page", page, want)
	}
	if strings.Contains(page, "style=") {
		t.Error("there is a style that the policy refuses")
	}
	expect.Contains(t, "days that are none are the usual", text(t, asKim(h, "GET", at+"?days=31", "")), `aria-current="page">30 jours`)
	address := "/account/projects/" + url.PathEscape(webPlaces().Project(gameID, 0, "").Page+`/"; filename="run.bat`)
	for _, target := range []string{"/statistics", "/erase"} {
		resp := asKim(h, "GET", address+target, "")
		expect.Same(t, "a project by its address, whose end names a file: "+target, []any{resp.StatusCode, resp.Header.Get("Content-Disposition")}, []any{http.StatusNotFound, ""})
	}
}

func TestAxesEndAtRoundNumbers(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]int64{0: 2, 1: 2, 2: 2, 3: 4, 11: 12, 17: 20, 99: 100, 101: 120, 12_345: 16_000, 1 << 62: 0} {
		if got := ceiling([]int64{0, most}, counted); got < min(most, 1<<50) || want != 0 && got != want {
			t.Errorf("%d ends at %d, want %d", most, got, want)
		}
	}
}

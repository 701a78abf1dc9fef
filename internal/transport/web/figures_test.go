package web

import (
	"encoding/csv"
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
	table := func(by string) [][]string {
		t.Helper()
		resp := asKim(h, "GET", at+".csv?days=7&by="+by, "")
		expect.Same(t, by+" as it is sent", []string{resp.Header.Get("Content-Type"), resp.Header.Get("Content-Disposition"), resp.Header.Get("X-Content-Type-Options")},
			[]string{"text/csv; charset=utf-8", `attachment; filename="` + string(gameID) + "-" + by + `.csv"`, "nosniff"})
		body := text(t, resp)
		if strings.Count(body, "\r\n") != strings.Count(body, "\n") {
			t.Errorf("lines do not end as in RFC 4180: %q", body)
		}
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		expect.OK(t, err)
		return rows
	}
	days := table("day")
	expect.Same(t, "days and their names", []any{len(days), days[0]}, []any{8, []string{"date", "plays", "players", "likes", "median_play_seconds"}})
	expect.Same(t, "today without its date and its median", days[7][1:4], []string{"1234", "10", "0"})
	expect.Same(t, "sites, of which none is a formula", table("referrer"), [][]string{{"host", "plays"}, {"'-news.example.com", "617"}, {"direct", "617"}})
	expect.Same(t, "versions", table("version")[1][:3], []string{"1", "1234", "10"})
	expect.Equal(t, "a table that there is not", asKim(h, "GET", at+".csv?by=hour", "").StatusCode, http.StatusNotFound)
	address := "/account/projects/" + url.PathEscape(webPlaces().Project(gameID, 0, "").Page+`/"; filename="run.bat`)
	for _, target := range []string{"/statistics.csv?by=day", "/statistics", "/erase"} {
		resp := asKim(h, "GET", address+target, "")
		expect.Same(t, "a project by its address, whose end names a file: "+target, []any{resp.StatusCode, resp.Header.Get("Content-Disposition")}, []any{http.StatusNotFound, ""})
	}
	for _, path := range []string{at, at + ".csv?by=day"} {
		expect.Equal(t, "nobody at "+path, request(h, "GET", path, "").StatusCode, http.StatusSeeOther)
	}
}

func TestAxesEndAtRoundNumbers(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]int64{0: 2, 1: 2, 2: 2, 3: 4, 11: 12, 17: 20, 99: 100, 101: 120, 12_345: 16_000, 1 << 62: 0} {
		if got := ceiling([]int64{0, most}, counted); got < min(most, 1<<50) || want != 0 && got != want {
			t.Errorf("%d ends at %d, want %d", most, got, want)
		}
	}
	expect.Equal(t, "below nothing", ceiling([]int64{-3}, counted), int64(4))
}

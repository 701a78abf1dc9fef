package guide

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/testkit/expect"
)

// shelf is a gallery of so many projects, a thousand on a page, of which a page fails, if one is named.
type shelf struct{ projects, fails, asked int }

func (s *shelf) Listing(_ context.Context, _ sandlot.Caller, cursor string) (list []sandlot.Project, next string, err error) {
	if s.asked++; s.asked == s.fails {
		return nil, "", errors.New("broken on purpose")
	}
	from, _ := strconv.Atoi(cursor)
	for i := from; i < min(from+1000, s.projects); i++ {
		list = append(list, sandlot.Project{ID: sandlot.ProjectID(fmt.Sprintf("project-%06d", i)), UpdatedAt: time.Date(2026, 11, 9, 23, 0, 0, 0, time.UTC)})
	}
	if from+1000 < s.projects {
		next = strconv.Itoa(from + 1000)
	}
	return list, next, nil
}

type sitemap struct {
	URLs []struct {
		Loc     string `xml:"loc"`
		Lastmod string `xml:"lastmod"`
	} `xml:"url"`
}

func TestASitemapHasAllProjectsUpToItsBound(t *testing.T) {
	t.Parallel()
	for projects, want := range map[int]int{0: 0, 1: 1, 2500: 2500, 70_000: mostURLs} {
		cfg, all := open(), &shelf{projects: projects}
		cfg.Gallery = all
		g := small(cfg)
		w := get(g, sitemapPath)
		var got sitemap
		expect.OK(t, xml.Unmarshal(w.Body.Bytes(), &got))
		pages := len(g.pagePaths())
		if len(got.URLs) != min(want+pages, mostURLs) || all.asked > mostURLs/1000+1 || w.Header().Get("Content-Type") != kindXML {
			t.Fatalf("of %d projects it has %d addresses, and asked %d times", projects, len(got.URLs), all.asked)
		}
		expect.Equal(t, "the first", got.URLs[0].Loc, "https://example.com/")
		if projects > 0 {
			expect.Equal(t, "the first project", got.URLs[pages].Loc+" "+got.URLs[pages].Lastmod, "https://example.com/p/project-000000 2026-11-09")
		}
	}
}

func TestASitemapThatCannotBeFinishedNeverLooksWhole(t *testing.T) {
	t.Parallel()
	cfg := open()
	cfg.Gallery = &shelf{projects: 2500, fails: 1}
	expect.Equal(t, "before it began", get(small(cfg), sitemapPath).Code, http.StatusServiceUnavailable)
	cfg.Gallery = &shelf{projects: 2500, fails: 2}
	defer func() { expect.Equal(t, "what it ends with", recover(), any(http.ErrAbortHandler)) }()
	get(small(cfg), sitemapPath)
}

// TestASitemapCostsWhatItReads: each of its pages is a search, and who has no more of these gets none.
func TestASitemapCostsWhatItReads(t *testing.T) {
	t.Parallel()
	cfg := open()
	cfg.Gallery = &shelf{projects: 1500}
	cfg.Admission = admission.New(admission.Config{Public: true, Searches: admission.Rate{Count: 1, Per: time.Hour, Burst: 4}})
	g := small(cfg)
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		w := get(g, sitemapPath)
		expect.Equal(t, fmt.Sprint("time ", i), w.Code, want)
		expect.Equal(t, "Retry-After", w.Header().Get("Retry-After") != "", want == http.StatusTooManyRequests)
	}
	expect.Equal(t, "another document", get(g, "/llms.txt").Code, http.StatusOK)
}

func TestHeadOfASitemapReadsNothing(t *testing.T) {
	t.Parallel()
	cfg, all := open(), &shelf{projects: 2500}
	cfg.Gallery = all
	w := httptest.NewRecorder()
	small(cfg).ServeHTTP(w, httptest.NewRequest("HEAD", sitemapPath, nil))
	if w.Code != http.StatusOK || w.Body.Len() != 0 || all.asked != 0 {
		t.Errorf("%d, %d bytes, asked %d times", w.Code, w.Body.Len(), all.asked)
	}
}

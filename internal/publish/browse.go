package publish

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	// galleryPage is how many projects a page of a list has: it can be divided into two, three and four columns.
	galleryPage = 24
	// rankLimit is how many places a ranking has: 41 pages, more than anybody turns.
	rankLimit = 1_000
	// liveReach is how many of the busiest projects are looked at for those that may be listed, so that made-up players of others push few out.
	liveReach = 5_000
	// firstFor, playedFor and liveFor are how long a first page and a ranking are kept before they are looked up again, so that they cost the store the same however many look.
	firstFor  = 2 * time.Second
	playedFor = 30 * time.Second
	liveFor   = 3 * time.Second
	// maxSearch and maxWords bound what is looked for: bytes, and words of it.
	maxSearch = 200
	maxWords  = 8
)

// gallery keeps what everybody asks for.
type gallery struct {
	played, live *cached[[]ProjectID]
	first        map[Sort]*cached[sheet]
}

// sheet is a page without its numbers, which are added for each visitor.
type sheet struct {
	projects []Project
	next     string
	waiting  int
}

func newGallery() *gallery {
	first := map[Sort]*cached[sheet]{}
	for _, by := range []Sort{SortNewest, SortPlayed, SortLive} {
		first[by] = newCached[sheet](firstFor)
	}
	return &gallery{played: newCached[[]ProjectID](playedFor), live: newCached[[]ProjectID](liveFor), first: first}
}

// Browse returns a page of the projects that may be listed. What is no cursor, or
// no order, is ErrNotFound. A page may be some seconds old, a ranking by plays half
// a minute; the numbers are those of now.
func (s *Service) Browse(ctx context.Context, by Caller, order Sort, cursor string) (Page, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return Page{}, err
	}
	place, err := readPlace(cursor)
	first, known := s.gallery.first[order]
	if err != nil || !known {
		return Page{}, ErrNotFound
	}
	find := func() (sheet, error) { return s.sorted(ctx, order, place) }
	var found sheet
	if place == 0 {
		found, err = first.get(ctx, s.now(), find)
	} else {
		found, err = find()
	}
	return s.page(ctx, found), err
}

func (s *Service) sorted(ctx context.Context, order Sort, place int64) (sheet, error) {
	switch order {
	case SortPlayed:
		ids, err := s.gallery.played.get(ctx, s.now(), func() ([]ProjectID, error) {
			return s.site.MostPlayed(ctx, s.now().AddDate(0, 0, -6), rankLimit)
		})
		return s.ranked(ctx, ids, place, err)
	case SortLive:
		ids, err := s.gallery.live.get(ctx, s.now(), func() ([]ProjectID, error) { return s.busiest(ctx) })
		return s.ranked(ctx, ids, place, err)
	}
	found, err := s.listed(ctx, ListedQuery{Before: place})
	if err == nil && place == 0 && len(found.projects) == 0 {
		found.waiting, err = s.site.Waiting(ctx, MostWaiting)
	}
	return found, err
}

// busiest returns the projects with the most players that may be listed.
func (s *Service) busiest(ctx context.Context) ([]ProjectID, error) {
	busy, err := s.live.Busiest(ctx, liveReach, s.now())
	if err != nil {
		return nil, fmt.Errorf("rank by players: %w", err)
	}
	found, err := s.inOrder(ctx, busy)
	ids := make([]ProjectID, 0, rankLimit)
	for _, p := range found[:min(len(found), rankLimit)] {
		ids = append(ids, p.ID)
	}
	return ids, err
}

// ranked is the page of a ranking that begins at a place.
func (s *Service) ranked(ctx context.Context, ids []ProjectID, place int64, err error) (sheet, error) {
	if err != nil {
		return sheet{}, err
	}
	begin := min(place, int64(len(ids)))
	end := min(begin+galleryPage, int64(len(ids)))
	out := sheet{}
	if end < int64(len(ids)) {
		out.next = strconv.FormatInt(end, 36)
	}
	out.projects, err = s.inOrder(ctx, ids[begin:end])
	return out, err
}

// inOrder returns those of the projects that may be listed, in the order given.
func (s *Service) inOrder(ctx context.Context, ids []ProjectID) ([]Project, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := s.site.ListedOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[ProjectID]Project, len(found))
	for _, p := range found {
		byID[p.ID] = p
	}
	out := make([]Project, 0, len(found))
	for _, id := range ids {
		if p, ok := byID[id]; ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// listed is a page of a list that is newest first.
func (s *Service) listed(ctx context.Context, q ListedQuery) (sheet, error) {
	q.Limit = galleryPage + 1
	found, err := s.site.Listed(ctx, q)
	if err != nil {
		return sheet{}, err
	}
	out := sheet{}
	if len(found) > galleryPage {
		found = found[:galleryPage]
		out.next = strconv.FormatInt(found[galleryPage-1].Number, 36)
	}
	for _, l := range found {
		out.projects = append(out.projects, l.Project)
	}
	return out, nil
}

// page adds the numbers of now.
func (s *Service) page(ctx context.Context, found sheet) Page {
	out := Page{Next: found.next, Waiting: found.waiting, Cards: make([]Card, 0, len(found.projects))}
	for _, p := range found.projects {
		out.Cards = append(out.Cards, Card{p, s.quickStats(ctx, p)})
	}
	return out
}

// Search returns a page of the projects in the gallery whose title and maker have
// words that begin with each word of text, newest first. Of text its first 200
// bytes and 8 words count; without a word in it nothing is found. What is no cursor
// is ErrNotFound.
func (s *Service) Search(ctx context.Context, by Caller, text, cursor string) (Page, error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return Page{}, err
	}
	before, err := readPlace(cursor)
	if err != nil {
		return Page{}, ErrNotFound
	}
	words := searchWords(text)
	if len(words) == 0 {
		return Page{}, nil
	}
	found, err := s.listed(ctx, ListedQuery{Words: words, Before: before})
	return s.page(ctx, found), err
}

func searchWords(text string) []string {
	words := strings.FieldsFunc(text[:min(len(text), maxSearch)], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	return words[:min(len(words), maxWords)]
}

// Profile returns the handle that the account with a handle has now, and a page of
// its projects in the gallery, newest first. An account that is suspended or gone,
// and what is no cursor, is ErrNotFound.
func (s *Service) Profile(ctx context.Context, by Caller, handle, cursor string) (current string, _ Page, err error) {
	if err := Authorize(by, ActLook, nil); err != nil {
		return "", Page{}, err
	}
	before, err := readPlace(cursor)
	if err != nil {
		return "", Page{}, ErrNotFound
	}
	a, err := s.site.AccountOfHandle(ctx, handle)
	if err == nil && a.Suspended {
		err = ErrNotFound
	}
	if err != nil || a.Handle != handle {
		return a.Handle, Page{}, err
	}
	found, err := s.listed(ctx, ListedQuery{Account: a.ID, Before: before})
	return a.Handle, s.page(ctx, found), err
}

// readPlace reads a cursor; the empty one is 0.
func readPlace(cursor string) (int64, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(cursor, 36, 64)
	if err != nil || n < 1 {
		return 0, errors.New("no cursor")
	}
	return n, nil
}

// listingWarnings tell the owner of a project that nobody finds it yet, and what ends
// that.
func (s *Service) listingWarnings(p Project) []Warning {
	if !s.Public || p.Verified || p.Suspended || p.Unlisted {
		return nil
	}
	return []Warning{{
		"not_listed", "The project is at its address, but not yet in the gallery or on its creator's profile: nobody has verified the email address of its account.",
		"Opening the link in the message to that address, and pressing its button, lists all projects of the account. Without the message, send email with the account's api_key, or log in on the website.",
	}}
}

package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sandlot"
	"sandlot/internal/format/names"
)

const (
	// pageSize is the number of projects on a page of a list: divisible into two, three and four columns.
	pageSize = 24
	// rankLimit is the number of places in a ranking: about 41 pages, more than anybody turns.
	rankLimit = 1_000
	// liveReach is how many of the busiest projects are searched for those that may be listed, so that made-up players
	// of others push few out.
	liveReach = 5_000
	// firstFor, playedFor and liveFor are how long a first page and the rankings are kept before they are read again,
	// so that their cost for the store does not depend on the number of callers. A suspended project must disappear
	// from every page within a second: half of that is left for rendering.
	firstFor  = 500 * time.Millisecond
	playedFor = 30 * time.Second
	liveFor   = 3 * time.Second
	// maxSearch and maxWords limit a search text: its bytes, and its words.
	maxSearch = 200
	maxWords  = 8
)

// Sort is the order of a list in the gallery.
type Sort string

// The orders of the gallery.
const (
	SortNewest Sort = "newest"
	SortPlayed Sort = "played" // most plays in seven days
	SortLive   Sort = "live"   // most players now

	SortTrending Sort = "trending" // plays and likes of seven days, damped by age
)

// Card is a project in a list.
type Card struct {
	Project sandlot.Project
	Stats   sandlot.Stats
}

// Page is a page of a list.
type Page struct {
	Cards []Card // at most 24
	Next  string // the cursor of the next page; empty on the last
	// Waiting is 0 unless no project is listed. Then it is how many of the MostWaiting newest projects would be listed
	// if the address of their account were verified.
	Waiting int
}

// MostWaiting is how many of the newest projects are searched for projects that wait to be listed.
const MostWaiting = 1_000

// lists caches the rankings and first pages, which every caller needs.
type lists struct {
	played, live *cached[ranking]
	trend        *cached[trend]
	first        map[Sort]*cached[sheet]
	pool         *cached[[]sandlot.Project] // candidates for the next project, the same for all projects
}

// A ranking is a list of limited length in one order, with the tags of each project, so that a tag is selected without
// the store.
type ranking struct {
	ids []sandlot.ProjectID
	of  map[sandlot.ProjectID][]string
}

// rankingOf returns the ranking of projects that are already in order.
func rankingOf(list []sandlot.Project) ranking {
	r := ranking{of: make(map[sandlot.ProjectID][]string, len(list))}
	for _, p := range list {
		r.ids = append(r.ids, p.ID)
		if tags := p.Tags.List(); len(tags) > 0 {
			r.of[p.ID] = tags
		}
	}
	return r
}

// sheet is a page without its numbers, which are added for each caller.
type sheet struct {
	projects []sandlot.Project
	next     string
	waiting  int
}

func newLists() *lists {
	first := map[Sort]*cached[sheet]{}
	for _, order := range []Sort{SortNewest, SortPlayed, SortLive, SortTrending} {
		first[order] = newCached[sheet](firstFor)
	}
	return &lists{
		played: newCached[ranking](playedFor), live: newCached[ranking](liveFor), trend: newCached[trend](playedFor),
		first: first, pool: newCached[[]sandlot.Project](firstFor),
	}
}

// Browse returns a page of the projects that may be listed, in an order; an empty cursor means the first page. A first
// page may be half a second old, a ranking by players three seconds, and one by plays half a minute. The numbers on the
// cards are current. An invalid cursor or order is sandlot.ErrNotFound.
func (s *Service) Browse(ctx context.Context, by sandlot.Caller, order Sort, cursor string) (Page, error) {
	return s.browse(ctx, by, "", order, cursor)
}

// Tagged is Browse for the projects that have a tag. An invalid tag is sandlot.ErrNotFound, too.
func (s *Service) Tagged(ctx context.Context, by sandlot.Caller, tag string, order Sort, cursor string) (Page, error) {
	if kept, ok := names.Tag(tag); !ok || kept != tag {
		return Page{}, sandlot.ErrNotFound
	}
	return s.browse(ctx, by, tag, order, cursor)
}

// browse returns a page of all projects, or of those with a tag.
func (s *Service) browse(ctx context.Context, by sandlot.Caller, tag string, order Sort, cursor string) (Page, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Page{}, err
	}
	place, err := readPlace(cursor)
	first, known := s.lists.first[order]
	if err != nil || !known {
		return Page{}, sandlot.ErrNotFound
	}
	find := func() (sheet, error) { return s.sorted(ctx, tag, order, place) }
	var found sheet
	if tag == "" && place == 0 {
		found, err = first.get(ctx, s.Now(), find)
	} else {
		found, err = find()
	}
	return s.page(ctx, found), err
}

// sorted reads the page of an order that begins at a place.
func (s *Service) sorted(ctx context.Context, tag string, order Sort, place int64) (sheet, error) {
	if order == SortNewest {
		found, err := s.listed(ctx, ListedQuery{Tag: tag, Before: place})
		if err == nil && tag == "" && place == 0 && len(found.projects) == 0 {
			found.waiting, err = s.store.Waiting(ctx, MostWaiting)
		}
		return found, err
	}
	r, err := s.ranking(ctx, order)
	if err != nil {
		return sheet{}, err
	}
	lacks := func(tags []string) bool { return tag != "" && !slices.Contains(tags, tag) }
	part, next := pageOf(slices.DeleteFunc(slices.Clone(r.ids), func(id sandlot.ProjectID) bool { return lacks(r.of[id]) }), place)
	projects, err := s.inOrder(ctx, part)
	projects = slices.DeleteFunc(projects, func(p sandlot.Project) bool { return lacks(p.Tags.List()) })
	return sheet{projects: projects, next: next}, err
}

// ranking returns the whole ranking of an order other than SortNewest.
func (s *Service) ranking(ctx context.Context, order Sort) (ranking, error) {
	switch order {
	case SortPlayed:
		return s.played(ctx)
	case SortTrending:
		t, err := s.trending(ctx)
		return t.ranking, err
	}
	return s.lists.live.get(ctx, s.Now(), func() (ranking, error) { return s.busiest(ctx) })
}

// busiest ranks the projects that may be listed by their players.
func (s *Service) busiest(ctx context.Context) (ranking, error) {
	busy, err := s.counters.live.Busiest(ctx, liveReach, s.Now())
	if err != nil {
		return ranking{}, fmt.Errorf("rank by players: %w", err)
	}
	found, err := s.inOrder(ctx, busy)
	return rankingOf(found[:min(len(found), rankLimit)]), err
}

// pageOf returns the page of a list that begins at a place, and the cursor of the next page; empty after the last.
func pageOf[T any](list []T, place int64) (page []T, next string) {
	begin := min(place, int64(len(list)))
	end := min(begin+pageSize, int64(len(list)))
	if end < int64(len(list)) {
		next = strconv.FormatInt(end, 36)
	}
	return list[begin:end], next
}

// inOrder returns the projects that may be listed, in the given order.
func (s *Service) inOrder(ctx context.Context, ids []sandlot.ProjectID) ([]sandlot.Project, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := s.store.ListedOf(ctx, ids)
	places := make(map[sandlot.ProjectID]int, len(ids))
	for i, id := range ids {
		places[id] = i
	}
	slices.SortFunc(found, func(a, b sandlot.Project) int { return places[a.ID] - places[b.ID] })
	return found, err
}

// listed returns a page of q.Limit projects, or pageSize by default, newest first.
func (s *Service) listed(ctx context.Context, q ListedQuery) (sheet, error) {
	size := cmp.Or(q.Limit, pageSize)
	q.Limit = size + 1
	found, err := s.store.Listed(ctx, q)
	return sheetOf(found, size), err
}

// sheetOf returns a page of size projects; found holds one more if another page follows.
func sheetOf(found []Listed, size int) sheet {
	out := sheet{projects: make([]sandlot.Project, 0, len(found))}
	if len(found) > size {
		found = found[:size]
		out.next = strconv.FormatInt(found[size-1].Number, 36)
	}
	for _, l := range found {
		out.projects = append(out.projects, l.Project)
	}
	return out
}

// page adds the current numbers.
func (s *Service) page(ctx context.Context, found sheet) Page {
	return Page{Next: found.next, Waiting: found.waiting, Cards: s.cards(ctx, found.projects)}
}

// cards returns projects with their current numbers.
func (s *Service) cards(ctx context.Context, projects []sandlot.Project) []Card {
	out := make([]Card, 0, len(projects))
	for _, p := range projects {
		out = append(out, Card{p, s.counters.ListStats(ctx, p)})
	}
	return out
}

// listingSize is the number of projects of a Listing.
const listingSize = 1_000

// Listing returns the newest thousand projects that may be listed, newest first, without their numbers.
func (s *Service) Listing(ctx context.Context, by sandlot.Caller) ([]sandlot.Project, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return nil, err
	}
	found, err := s.listed(ctx, ListedQuery{Limit: listingSize})
	return found.projects, err
}

// Search returns a page of the projects that may be listed and match a text, newest first. A project matches if each
// word of the text is part of a word of its title, its account's handle or its tags, regardless of case and accents.
// New and changed projects are found after half a second. Only the first 200 bytes and 8 words of the text count; words
// of symbols alone, like emoji, count only if there are no others. A text without a word matches nothing. An invalid
// cursor is sandlot.ErrNotFound.
func (s *Service) Search(ctx context.Context, by sandlot.Caller, text, cursor string) (Page, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return Page{}, err
	}
	before, err := readPlace(cursor)
	if err != nil {
		return Page{}, sandlot.ErrNotFound
	}
	words := searchWords(text)
	if len(words) == 0 {
		return Page{}, nil
	}
	found, err := s.search(ctx, words, before, pageSize+1)
	return s.page(ctx, sheetOf(found, pageSize)), err
}

const (
	// mostSuggested is how many projects are suggested while a visitor types: as many as fit above a phone's keyboard.
	mostSuggested = 8
	// suggestReach is how many of the newest matches are searched for suggestions.
	suggestReach = 96
)

// Suggest returns up to 8 projects for an unfinished text, out of the 96 newest that Search finds: first those whose
// title begins with it, then those with a title word that begins with it, then those whose handle does; the newest
// first within each.
func (s *Service) Suggest(ctx context.Context, by sandlot.Caller, text string) ([]Card, error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return nil, err
	}
	words := searchWords(text)
	if len(words) == 0 {
		return nil, nil
	}
	list, err := s.search(ctx, words, 0, suggestReach)
	if err != nil {
		return nil, err
	}
	found := sheetOf(list, suggestReach)
	typed := strings.Join(words, " ")
	slices.SortStableFunc(found.projects, func(a, b sandlot.Project) int { return cmp.Compare(farness(a, typed), farness(b, typed)) })
	return s.cards(ctx, found.projects[:min(len(found.projects), mostSuggested)]), nil
}

// farness returns the distance of a project from the typed text, which is in the form of names.Searchable; 0 is
// nearest.
func farness(p sandlot.Project, typed string) int {
	title := names.Searchable(p.Title)
	switch {
	case strings.HasPrefix(title, typed):
		return 0
	case strings.Contains(title, " "+typed):
		return 1
	case strings.HasPrefix(names.Searchable(p.Handle), typed):
		return 2
	}
	return 3
}

// searchWords returns the words of a text that count in a search.
func searchWords(text string) []string {
	words := strings.Fields(names.Searchable(text[:min(len(text), maxSearch)]))
	isSymbol := func(w string) bool {
		return !strings.ContainsFunc(w, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) })
	}
	if spelled := slices.DeleteFunc(slices.Clone(words), isSymbol); len(spelled) > 0 {
		words = spelled
	}
	return words[:min(len(words), maxWords)]
}

// readPlace parses a cursor. The empty one is 0, the first page.
func readPlace(cursor string) (int64, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(cursor, 36, 64)
	if err != nil || n < 1 {
		return 0, errors.New("invalid cursor")
	}
	return n, nil
}

// profileOrders holds the orders of an account's projects. It never changes.
var profileOrders = []Sort{SortNewest, SortPlayed}

// ProfileOrders returns the possible orders of a Profile, the default first.
func ProfileOrders() []Sort { return slices.Clone(profileOrders) }

// Profile returns a page of an account's projects that may be listed, in an order: the newest first, or of the thousand
// newest the most played first. For a former handle of the account the page is empty and current is its present handle.
// An account that is suspended or gone, and an invalid cursor or order, is sandlot.ErrNotFound.
func (s *Service) Profile(
	ctx context.Context, by sandlot.Caller, handle string, order Sort, cursor string,
) (current string, _ Page, err error) {
	if err := sandlot.Authorize(by, sandlot.ActLook, nil); err != nil {
		return "", Page{}, err
	}
	place, err := readPlace(cursor)
	if err != nil || !slices.Contains(profileOrders, order) {
		return "", Page{}, sandlot.ErrNotFound
	}
	a, err := s.store.AccountOfHandle(ctx, handle)
	if err == nil && a.Suspended {
		err = sandlot.ErrNotFound
	}
	if err != nil || a.Handle != handle {
		return a.Handle, Page{}, err
	}
	if order == SortNewest {
		found, err := s.listed(ctx, ListedQuery{Account: a.ID, Before: place})
		return a.Handle, s.page(ctx, found), err
	}
	found, err := s.listed(ctx, ListedQuery{Account: a.ID, Limit: rankLimit})
	slices.SortStableFunc(found.projects, func(a, b sandlot.Project) int { return cmp.Compare(b.Plays, a.Plays) })
	found.projects, found.next = pageOf(found.projects, place)
	return a.Handle, s.page(ctx, found), err
}

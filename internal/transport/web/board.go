package web

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/texts"
)

// boardPages serves the boards of projects to visitors, and takes their messages to creators.
type boardPages struct {
	heads    *publish.Reader
	rooms    *playerRooms
	visitors visitors
}

// maxMessage bounds the form of a message in bytes: each of its characters takes up to 12 bytes in transit.
const maxMessage = 12*faults.MaxFeedback + maxForm

func (b *boardPages) routes() []route {
	if b.rooms == nil {
		return nil
	}
	return []route{
		{"GET", "/p/{id}/board", anyone, admission.PlayerRead, b.board},
		{"GET", "/p/{id}/message", anyone, admission.Look, b.askMessage},
		{"POST", "/p/{id}/message", anyone, admission.PlayerReport, form(maxMessage, b.message, "text")},
	}
}

// boardRows is the number of places on the page of a project.
const boardRows = 10

// periodText and boardText are the prefixes of the names of the periods' texts, and of the default board's.
const (
	periodText = "board.period-"
	boardText  = "board.name-"
)

// A boardPage holds a board of a project for a template.
type boardPage struct {
	Of     sandlot.Project
	Boards []string // the names to choose from; empty: the project has no board
	Chosen boards.Top
	Takes  bool   // whether players may send scores and messages
	Typed  string // a message that was refused
	v      *visit
}

// Most returns the maximum number of characters in a message.
func (boardPage) Most() int { return faults.MaxFeedback }

// A pick is an option with its name in the visit's language.
type pick struct{ Value, Name string }

// Periods returns the periods to choose from.
func (p boardPage) Periods() (all []pick) { return periodsOf(p.v) }

func periodsOf(v *visit) (all []pick) {
	for _, period := range boards.Periods {
		all = append(all, pick{string(period), v.T(periodText + string(period))})
	}
	return all
}

// Named returns the boards to choose from.
func (p boardPage) Named() (all []pick) {
	for _, name := range p.Boards {
		all = append(all, pick{name, boardName(p.v, name)})
	}
	return all
}

// boardName returns the name of a board for people: projects choose the names, except for the default.
func boardName(v *visit, name string) string {
	if name == boards.Default {
		return v.T(boardText + boards.Default)
	}
	return name
}

// Beyond returns the visitor's own place if the list does not show it.
func (p boardPage) Beyond() *boards.Entry {
	you := p.Chosen.You
	if you == nil || slices.ContainsFunc(p.Chosen.Entries, func(e boards.Entry) bool { return e.Player == you.Player }) {
		return nil
	}
	return you
}

// Mine reports whether an entry is the visitor's own.
func (p boardPage) Mine(e boards.Entry) bool {
	return p.Chosen.You != nil && e.Player == p.Chosen.You.Player
}

// A place is an entry of a board with the data for its row.
type place struct {
	boards.Entry
	V view
}

// Place returns an entry for its row; mine reports whether it is the visitor's own.
func (boardPage) Place(v view, e boards.Entry, mine bool) place {
	e.You = mine
	return place{e, v}
}

// beatShown is the number of projects on the home page whose boards moved today.
const beatShown = 12

// The challenges of a day are the projects whose boards moved, with their best scores.
type challenges struct {
	Cards []gallery.Card
	bests map[sandlot.ProjectID]boards.Entry
}

// challenges returns the challenges of today; none if reading them fails.
func (l lists) challenges(v *visit) (found challenges) {
	if l.rooms == nil {
		return found
	}
	moved, err := l.rooms.boards.MovedToday(v.r.Context(), v.by, beatShown)
	if err != nil || len(moved) == 0 {
		return found
	}
	found.bests = map[sandlot.ProjectID]boards.Entry{}
	var ids []sandlot.ProjectID
	for _, one := range moved {
		found.bests[one.Project] = one.Best
		ids = append(ids, one.Project)
	}
	if found.Cards, err = l.gallery.CardsOf(v.r.Context(), v.by, ids); err != nil {
		return challenges{}
	}
	return found
}

// Challenges returns the cards of projects with their best scores.
func (v view) Challenges(of challenges) template.HTML {
	return cardsWith(v.Voice, v.Title, of.Cards, of.bests)
}

// bestOf returns the best score of a board in words.
func bestOf(in texts.Voice, best boards.Entry) template.HTML {
	score := in.Score(best.Score)
	if best.Name == "" {
		return in.Rich("gallery.best", "score", score)
	}
	return in.Rich("gallery.best-by", "score", score, "name", template.HTML("<bdi>"+esc(best.Name)+"</bdi>"))
}

// find returns the page of a board: of the board in the query if there is one, else of the default board, else of the last
// moved.
func (b *boardPages) find(ctx context.Context, v *visit, of sandlot.Project, q boards.Query) (boardPage, error) {
	page := boardPage{Of: of, Takes: b.rooms.takes(of), v: v}
	if !b.rooms.shows(of) {
		return page, nil
	}
	list, err := b.rooms.boards.List(ctx, v.by, string(of.ID))
	if err != nil || len(list) == 0 {
		return page, err
	}
	for _, board := range list {
		page.Boards = append(page.Boards, board.Name)
	}
	if !slices.Contains(page.Boards, q.Board) {
		q.Board = page.Boards[0]
		if slices.Contains(page.Boards, boards.Default) {
			q.Board = boards.Default
		}
	}
	slices.SortFunc(page.Boards, func(x, y string) int {
		switch boards.Default {
		case x:
			return -1
		case y:
			return 1
		}
		return strings.Compare(x, y)
	})
	page.Chosen, err = b.rooms.boards.Top(ctx, v.by, visitOf(v, of), q)
	return page, err
}

// boardQuery returns the query of an address. It takes an invalid period for all time.
func boardQuery(v *visit) boards.Query {
	q := boards.Query{Board: v.query("board"), Period: boards.Period(v.query("period")), Limit: boardRows, Player: v.query("you")}
	if !slices.Contains(boards.Periods[:], q.Period) {
		q.Period = boards.AllTime
	}
	return q
}

// board shows a board of a project on a page of its own. With "bare" in the address it answers with the board's part of the
// project's page, or with status 204 if the project has no board.
func (b *boardPages) board(v *visit) error {
	head, err := headOf(v, b.heads, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	if !owns(v, head) {
		v.speak(head.Lang)
	}
	page, err := b.find(v.r.Context(), v, head, boardQuery(v))
	if err != nil {
		return err
	}
	v.w.Header().Set("X-Robots-Tag", "noindex")
	bare := v.r.URL.Query().Has("bare")
	switch {
	case len(page.Boards) > 0 && bare:
		return v.show(http.StatusOK, "board", "", page)
	case len(page.Boards) > 0:
		return v.show(http.StatusOK, "board.html", v.T("board.title"), page)
	case bare:
		v.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return sandlot.ErrNotFound
}

// parts returns the parts of a project's page for its board and its messages, by their holes. They are empty while the
// database is down.
func (b *boardPages) parts(v *visit, of sandlot.Project) (map[string]string, error) {
	holes := map[string]string{"board": "", "tell": ""}
	if !b.rooms.shows(of) {
		return holes, nil
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), besideWait)
	defer cancel()
	page, err := b.find(ctx, v, of, boards.Query{Period: boards.AllTime, Limit: boardRows})
	if err != nil {
		return holes, v.r.Context().Err()
	}
	for name := range holes {
		var out strings.Builder
		if err := v.templates.ExecuteTemplate(&out, "part-"+name, view{visit: v, Data: page}); err != nil {
			return nil, err
		}
		holes[name] = strings.TrimSpace(out.String())
	}
	return holes, nil
}

// A messagePage holds the form of a message, with a refused text.
type messagePage struct {
	boardPage
	Wrong bool
}

func (b *boardPages) askMessage(v *visit) error {
	return b.showMessage(v, http.StatusOK, messagePage{})
}

func (b *boardPages) showMessage(v *visit, status int, page messagePage) error {
	head, err := headOf(v, b.heads, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	if page.Takes = b.rooms.takes(head); !page.Takes {
		return sandlot.ErrNotFound
	}
	page.Of = head
	return v.show(status, "message.html", v.T("tell.title"), page)
}

// message sends a message to the creator of a project. The website does not know the player in the frame: it sends the
// message as another player, without a name and a place on a board.
func (b *boardPages) message(v *visit) error {
	head, err := headOf(v, b.heads, sandlot.ProjectID(v.r.PathValue("id")))
	if err != nil {
		return err
	}
	token, err := b.visitors.welcome(v)
	if err != nil {
		return err
	}
	from, text := visitOf(v, head), v.r.PostForm.Get("text")
	from.Token, _ = players.HashToken(head.ID, token)
	err = b.rooms.faults.Message(v.r.Context(), v.by, from, text)
	if errors.Is(err, sandlot.CodeInvalidField) || errors.Is(err, sandlot.CodeMissingField) {
		return b.showMessage(v, http.StatusUnprocessableEntity, messagePage{boardPage{Typed: text}, true})
	}
	if err == nil && strings.Contains(v.r.Header.Get("Accept"), jsonType) {
		return sendJSON(v, map[string]any{"ok": true})
	}
	return v.doneIf(err, "/p/"+string(head.ID), "said.told", "handle", "@"+head.Handle)
}

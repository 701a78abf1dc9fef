package web

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/transport/web/texts"
)

// ownPlayers serves an owner's pages about the players of a project.
type ownPlayers struct {
	service *publish.Service
	reader  *publish.Reader
	rooms   *playerRooms
}

// ownAtPlayers and ownAtBoard end the paths of the two pages.
const (
	ownAtPlayers = "/players"
	ownAtBoard   = "/boards/"
)

func (o *ownPlayers) routes() []route {
	if o.rooms == nil {
		return nil
	}
	const at = "/account/projects/{id}"
	const board = at + ownAtBoard + "{board}"
	return []route{
		{"GET", at + ownAtPlayers, owner, admission.Look, o.page},
		{"POST", at + "/runtime", owner, admission.Look, form(maxForm, o.limit, "runtime")},
		{"POST", at + "/messages/delete", owner, admission.Look, form(maxForm, o.deleteMessage, "message")},
		{"GET", board, owner, admission.Look, o.board},
		{"POST", board, owner, admission.Look, form(maxForm, o.rule, "min", "max", "min_seconds")},
		{"POST", board + "/remove", owner, admission.Look, form(maxForm, o.remove, "player")},
		{"GET", board + "/refuse", owner, admission.Look, o.askRefuse},
		{"POST", board + "/refuse", owner, admission.Look, form(maxForm, o.refuse, "player")},
		{"GET", board + "/reset", owner, admission.Look, o.askReset},
		{"POST", board + "/reset", owner, admission.Look, form(maxForm, o.reset)},
		{"GET", board + "/delete", owner, admission.Look, o.askDelete},
		{"POST", board + "/delete", owner, admission.Look, form(maxForm, o.delete)},
	}
}

// Bounds of the lists on one page.
const (
	messagesShown = 20
	rowsShown     = 50
	versionsBack  = 5 // versions with a link to their errors
)

// An ownPlayersPage holds the data of the page of a project's players.
type ownPlayersPage struct {
	Project  sandlot.Project
	Usage    players.Usage
	Boards   []boards.Board
	Version  int // whose errors are shown
	Errors   []faults.Group
	Messages []faults.Message
	Next     string // the cursor of the next messages; empty: there are none
	After    bool   // whether there are newer messages
	v        *visit
}

// Versions returns the versions whose errors the page links to, newest first.
func (p ownPlayersPage) Versions() (all []int) {
	for n := p.Project.Version; n > max(p.Project.Version-versionsBack, 0); n-- {
		all = append(all, n)
	}
	if p.Version > 0 && !slices.Contains(all, p.Version) {
		all = append(all, p.Version)
	}
	return all
}

// runtimes lists the states of a runtime, in the order of the form.
var runtimes = []string{"on", "read", "off"}

// The prefixes of the names of the states' texts, and of the kinds of errors.
const (
	runtimeText = "players.runtime-"
	faultText   = "players.error-"
)

// A state is a state of the runtime to choose.
type state struct {
	pick
	Now bool
}

// Runtimes returns the states to choose from.
func (p ownPlayersPage) Runtimes() (all []state) {
	for _, name := range runtimes {
		all = append(all, state{pick{name, p.v.T(runtimeText + name)}, name == p.Project.Runtime.Word()})
	}
	return all
}

// Kind returns the name of a kind of errors.
func (p ownPlayersPage) Kind(of faults.Group) string { return p.v.T(faultText + of.Kind) }

// Browsers returns the families of browsers with their counts, the most frequent first.
func (p ownPlayersPage) Browsers(of faults.Group) string {
	families := slices.SortedFunc(maps.Keys(of.Browsers), func(x, y string) int {
		return cmp.Or(cmp.Compare(of.Browsers[y], of.Browsers[x]), strings.Compare(x, y))
	})
	var all []string
	for _, family := range families {
		name, ok := familyNames[family]
		if !ok {
			name = p.v.T("players.browser-other")
		}
		all = append(all, name+" "+p.v.Whole(of.Browsers[family]))
	}
	return strings.Join(all, " · ")
}

// familyNames maps families of browsers to their names.
var familyNames = map[string]string{"chrome": "Chrome", "firefox": "Firefox", "safari": "Safari", "edge": "Edge"}

// Order returns the order of a board in words.
func (p ownPlayersPage) Order(b boards.Board) string { return orderOf(p.v, b) }

func orderOf(v *visit, b boards.Board) string {
	if b.Ascending {
		return v.T("players.order-up")
	}
	return v.T("players.order-down")
}

// Runs reports whether the instance has a runtime.
func (f ownFrame) Runs() bool { return f.runs }

// Called returns the name of a board for people.
func (p ownPlayersPage) Called(board string) string { return boardName(p.v, board) }

func (o *ownPlayers) page(v *visit) (err error) {
	ctx, id := v.r.Context(), string(v.ownID())
	page := ownPlayersPage{Version: number(v.query("version")), After: v.query("after") != "", v: v}
	if page.Project, page.Errors, err = o.rooms.faults.Errors(ctx, v.by, id, page.Version); err != nil {
		return err
	}
	page.Version = cmp.Or(page.Version, page.Project.Version)
	if page.Usage, err = o.rooms.players.Usage(ctx, v.by, id); err != nil {
		return err
	}
	if page.Boards, err = o.rooms.boards.List(ctx, v.by, id); err != nil {
		return err
	}
	page.Messages, page.Next, err = o.rooms.faults.Messages(ctx, v.by, id, messagesShown, v.query("after"))
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "own_players.html", v.T("players.title"), page)
}

// limit sets the runtime of a project.
func (o *ownPlayers) limit(v *visit) error {
	to := v.r.PostForm.Get("runtime")
	if !slices.Contains(runtimes, to) {
		return v.problem(http.StatusBadRequest, "error.form")
	}
	_, err := o.service.Amend(v.r.Context(), v.by, string(v.ownID()), publish.AmendInput{Runtime: &to})
	return v.doneIf(err, v.ownPath()+ownAtPlayers, "said.saved")
}

// deleteMessage deletes a message. It is idempotent.
func (o *ownPlayers) deleteMessage(v *visit) error {
	n, err := strconv.ParseInt(v.r.PostForm.Get("message"), 10, 64)
	if err != nil {
		return v.problem(http.StatusBadRequest, "error.form")
	}
	err = o.rooms.faults.DeleteMessage(v.r.Context(), v.by, string(v.ownID()), n)
	return v.doneIf(err, v.ownPath()+ownAtPlayers, "said.message-deleted")
}

// An ownBoardPage holds the data of the page of a board for its owner, with the rules that were refused.
type ownBoardPage struct {
	Project       sandlot.Project
	Board         boards.Board
	Top           boards.Top
	Min, Max, Sec string // the contents of the fields of the form
	Wrong         string // the refusal, in the visitor's language
	v             *visit
}

// Order returns the order of the board in words.
func (p ownBoardPage) Order() string { return orderOf(p.v, p.Board) }

// Periods returns the periods to choose from.
func (p ownBoardPage) Periods() []pick { return periodsOf(p.v) }

func (v *visit) ownBoard() string     { return v.r.PathValue("board") }
func (v *visit) ownBoardPath() string { return v.ownPath() + ownAtBoard + url.PathEscape(v.ownBoard()) }

func (o *ownPlayers) board(v *visit) error { return o.showBoard(v, http.StatusOK, ownBoardPage{}) }

func (o *ownPlayers) showBoard(v *visit, status int, page ownBoardPage) (err error) {
	q := boardQuery(v)
	q.Board, q.Limit, q.Player, page.v = v.ownBoard(), rowsShown, "", v
	if page.Project, err = o.reader.Find(v.r.Context(), v.by, string(v.ownID())); err != nil {
		return err
	}
	if page.Board, page.Top, err = o.rooms.boards.Board(v.r.Context(), v.by, string(v.ownID()), q); err != nil {
		return err
	}
	if page.Wrong == "" {
		page.Min, page.Max, page.Sec = written(page.Board.Min), written(page.Board.Max), strconv.Itoa(page.Board.MinSeconds)
	}
	return v.show(status, "own_board.html", v.T("players.board-title", "name", boardName(v, page.Board.Name)), page)
}

// thousands matches a text such as 1,000: a thousand in some languages, and one in others.
var thousands = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}$`)

// written returns the content of a field for a bound, "" for nil. bound reads it as the same number.
func written(bound *float64) string {
	if bound == nil {
		return ""
	}
	text := strconv.FormatFloat(*bound, 'f', -1, 64)
	if thousands.MatchString(text) {
		text += "0"
	}
	return text
}

// bound returns the number in a field, nil for an empty field; ok is false for any other text.
func bound(text string) (n *float64, ok bool) {
	if text = strings.TrimSpace(text); text == "" || thousands.MatchString(text) {
		return nil, text == ""
	}
	value, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	return &value, err == nil && !math.IsInf(value, 0) && !math.IsNaN(value)
}

// rule sets the bounds of a board.
func (o *ownPlayers) rule(v *visit) error {
	form := v.r.PostForm
	page := ownBoardPage{Min: form.Get("min"), Max: form.Get("max"), Sec: form.Get("min_seconds"), Wrong: v.T("players.rules-wrong")}
	low, okLow := bound(page.Min)
	high, okHigh := bound(page.Max)
	seconds, err := strconv.Atoi(page.Sec)
	if !okLow || !okHigh || err != nil {
		return o.showBoard(v, http.StatusUnprocessableEntity, page)
	}
	_, err = o.rooms.boards.Amend(v.r.Context(), v.by, string(v.ownID()), v.ownBoard(), boards.Change{
		Min: low, Max: high, NoMin: low == nil, NoMax: high == nil, MinSeconds: &seconds,
	})
	if errors.Is(err, sandlot.CodeInvalidField) {
		return o.showBoard(v, http.StatusUnprocessableEntity, page)
	}
	return v.doneIf(err, v.ownBoardPath(), "said.saved")
}

// remove removes a row. It is idempotent.
func (o *ownPlayers) remove(v *visit) error {
	change := boards.Change{RemovePlayers: []string{v.r.PostForm.Get("player")}}
	_, err := o.rooms.boards.Amend(v.r.Context(), v.by, string(v.ownID()), v.ownBoard(), change)
	return v.doneIf(err, v.ownBoardPath(), "said.row-removed")
}

func (o *ownPlayers) askRefuse(v *visit) error {
	player := v.query("player")
	return o.ask(v, "refuse", texts.Isolated(cmp.Or(v.query("name"), player)), askField{"player", player})
}

func (o *ownPlayers) askReset(v *visit) error {
	return o.ask(v, "reset", texts.Isolated(boardName(v, v.ownBoard())))
}

func (o *ownPlayers) askDelete(v *visit) error {
	return o.ask(v, "delete", texts.Isolated(boardName(v, v.ownBoard())))
}

// askText is the prefix of the names of the questions' texts: players.refuse-title, -lead and -yes, and so on.
const askText = "players."

// ask shows the confirmation page of a step on a board.
func (o *ownPlayers) ask(v *visit, step, name string, fields ...askField) error {
	if _, err := o.reader.Find(v.r.Context(), v.by, string(v.ownID())); err != nil {
		return err
	}
	return v.ask(v.T(askText+step+"-title", "name", name), askPage{
		Leads: []any{v.T(askText + step + "-lead")}, Action: v.ownBoardPath() + "/" + step, Fields: fields,
		Yes: v.T(askText + step + "-yes"), Back: v.ownBoardPath(),
	})
}

// refuse removes and refuses a player.
func (o *ownPlayers) refuse(v *visit) error {
	err := o.rooms.players.RemovePlayer(v.r.Context(), v.by, string(v.ownID()), v.r.PostForm.Get("player"), true)
	return v.doneIf(err, v.ownBoardPath(), "said.player-refused")
}

func (o *ownPlayers) reset(v *visit) error {
	_, err := o.rooms.boards.Amend(v.r.Context(), v.by, string(v.ownID()), v.ownBoard(), boards.Change{Reset: true})
	return v.doneIf(err, v.ownBoardPath(), "said.board-reset")
}

func (o *ownPlayers) delete(v *visit) error {
	err := o.rooms.boards.Delete(v.r.Context(), v.by, string(v.ownID()), v.ownBoard())
	return v.doneIf(err, v.ownPath()+ownAtPlayers, "said.board-deleted", "name", boardName(v, v.ownBoard()))
}

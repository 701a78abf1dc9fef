package api

import (
	"net/http"
	"strconv"

	"sandlot"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/inspect"
)

// needsRuntime refuses a call on a service that stores nothing for players: CodeRuntimeOff.
func needsRuntime(a *API) error {
	if a.Players != nil {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeRuntimeOff, "This service stores nothing for players.").
		With(sandlot.OpProject).Note("Its operator has switched that off. This call reads the project:")
}

// ofPlayers returns the handler of an endpoint without a body.
func ofPlayers(do func(*API, *call) (any, error)) func(*API, *call) error {
	return func(a *API, c *call) error {
		if err := needsRuntime(a); err != nil {
			return err
		}
		body, err := do(a, c)
		if err != nil {
			return err
		}
		return c.answer(reply{http.StatusOK, body})
	}
}

// strangers marks an answer with texts of strangers.
type strangers struct {
	Untrusted bool `json:"untrusted"`
}

type boardInfo struct {
	Board      string   `json:"board"` // strangers' text: the first score names it
	Order      string   `json:"order"`
	Min        *float64 `json:"min"`
	Max        *float64 `json:"max"`
	MinSeconds int      `json:"min_seconds"`
	Players    int64    `json:"players"`
	CreatedAt  moment   `json:"created_at"`
	MovedAt    moment   `json:"moved_at"`
}

func newBoard(b boards.Board) boardInfo {
	return boardInfo{b.Name, boards.Order(b.Ascending), b.Min, b.Max, b.MinSeconds, b.Players, moment(b.CreatedAt), moment(b.MovedAt)}
}

// usageInfo holds the number of a project's players, the size of their data and its bound.
type usageInfo struct {
	Players int64 `json:"players"`
	Bytes   int64 `json:"bytes"`
	Most    int64 `json:"most_bytes"`
}

type boardsAnswer struct {
	Boards []boardInfo `json:"boards"`
	Kept   usageInfo   `json:"kept"`
	strangers
}

func listBoards(a *API, c *call) (any, error) {
	kept, err := a.Players.Usage(c.R.Context(), c.By, c.param) // for the owner alone
	if err != nil {
		return nil, err
	}
	list, err := a.Boards.List(c.R.Context(), c.By, c.param)
	if err != nil {
		return nil, err
	}
	out := &boardsAnswer{make([]boardInfo, len(list)), usageInfo(kept), strangers{true}}
	for i, b := range list {
		out.Boards[i] = newBoard(b)
	}
	return out, nil
}

type entryInfo struct {
	Rank   int64   `json:"rank"`
	Name   text    `json:"name"` // strangers' text
	Score  float64 `json:"score"`
	Player string  `json:"player"`
	At     moment  `json:"at"`
}

type boardAnswer struct {
	boardInfo
	Period     boards.Period `json:"period"`
	Of         int64         `json:"of"`
	Entries    []entryInfo   `json:"entries"`
	Unverified bool          `json:"unverified"` // scores are sent by the players' own programs
	strangers
}

func readBoard(a *API, c *call) (any, error) {
	limit, err := c.limit(sandlot.OpBoard, "entries", 10, boards.MaxTop)
	if err != nil {
		return nil, err
	}
	q := boards.Query{Board: c.thing, Period: boards.Period(c.R.URL.Query().Get("period")), Limit: limit}
	b, top, err := a.Boards.Board(c.R.Context(), c.By, c.param, q)
	if err != nil {
		return nil, err
	}
	out := &boardAnswer{newBoard(b), top.Period, top.Of, make([]entryInfo, len(top.Entries)), true, strangers{true}}
	for i, e := range top.Entries {
		out.Entries[i] = entryInfo{e.Rank, text(e.Name), e.Score, e.Player, moment(e.At)}
	}
	return out, nil
}

type changedBoard struct {
	boardInfo
	strangers
	notes
}

func changeBoard(a *API, c *call, in boards.Change) (reply, error) {
	if err := needsRuntime(a); err != nil {
		return reply{}, err
	}
	b, err := a.Boards.Amend(c.R.Context(), c.By, c.param, c.thing, in)
	return reply{http.StatusOK, &changedBoard{newBoard(b), strangers{true}, a.notes(c, nil)}}, err
}

// dropped is the answer of a call that deletes something of players.
type dropped struct {
	Deleted any `json:"deleted"` // its name or number
}

func dropBoard(a *API, c *call) (any, error) {
	return dropped{c.thing}, a.Boards.Delete(c.R.Context(), c.By, c.param, c.thing)
}

func dropPlayer(a *API, c *call) (any, error) {
	refuse := c.R.URL.Query().Get("refuse")
	if refuse != "" && refuse != "true" && refuse != "false" {
		return nil, sandlot.Refuse(sandlot.CodeInvalidField, "The parameter refuse is neither true nor false.").In("refuse").
			With(sandlot.OpDropPlayer).Note("Leave it out, or send true to refuse the player a name and a place on a board from now on:")
	}
	return dropped{c.thing}, a.Players.RemovePlayer(c.R.Context(), c.By, c.param, c.thing, refuse == "true")
}

type errorsAnswer struct {
	ProjectID string      `json:"project_id"`
	Version   int         `json:"version"`
	Errors    []faultInfo `json:"errors"`
	strangers
}

type faultInfo struct {
	Kind     string           `json:"kind"`
	Message  string           `json:"message"` // strangers' text, as place and stack are
	Place    text             `json:"place"`
	Stack    text             `json:"stack"`
	Browsers map[string]int64 `json:"browsers"`
	Count    int64            `json:"count"`
	FirstAt  moment           `json:"first_at"`
	LastAt   moment           `json:"last_at"`
}

func listErrors(a *API, c *call) (any, error) {
	version, err := c.version()
	if err != nil {
		return nil, err
	}
	p, list, err := a.Faults.Errors(c.R.Context(), c.By, c.param, version)
	if err != nil {
		return nil, err
	}
	if version == 0 {
		version = p.Version
	}
	out := &errorsAnswer{string(p.ID), version, make([]faultInfo, len(list)), strangers{true}}
	for i, g := range list {
		out.Errors[i] = faultInfo{g.Kind, g.Message, text(g.Place), text(g.Stack), g.Browsers, g.Count, moment(g.FirstAt), moment(g.LastAt)}
	}
	return out, nil
}

type feedbackAnswer struct {
	Feedback   []messageInfo `json:"feedback"`
	NextCursor text          `json:"next_cursor"`
	strangers
}

type messageInfo struct {
	ID      int64  `json:"id"`
	Version int    `json:"version"`
	Text    string `json:"text"` // strangers' text, as name is
	Name    text   `json:"name"`
	Player  text   `json:"player"`
	At      moment `json:"at"`
}

func listFeedback(a *API, c *call) (any, error) {
	limit, err := c.limit(sandlot.OpFeedback, "messages", publish.DefaultPage, publish.MaxPage)
	if err != nil {
		return nil, err
	}
	list, next, err := a.Faults.Messages(c.R.Context(), c.By, c.param, limit, c.R.URL.Query().Get("cursor"))
	if err != nil {
		return nil, err
	}
	out := &feedbackAnswer{make([]messageInfo, len(list)), text(next), strangers{true}}
	for i, m := range list {
		out.Feedback[i] = messageInfo{m.ID, m.Version, m.Text, text(m.Name), text(m.Player), moment(m.At)}
	}
	return out, nil
}

func dropFeedback(a *API, c *call) (any, error) {
	id, err := strconv.ParseInt(c.thing, 10, 64)
	if err != nil || id < 1 {
		return nil, sandlot.Refuse(sandlot.CodeInvalidField, "%s is not the id of a message.", inspect.Quoted(c.thing)).
			With(sandlot.OpFeedback).Note("This call lists the messages with their ids:")
	}
	return dropped{id}, a.Faults.DeleteMessage(c.R.Context(), c.By, c.param, id)
}

// crowded returns the warnings that players of projects have used most of their room. A failed read is logged.
func crowded(a *API, c *call, projects ...sandlot.Project) []sandlot.Warning {
	if a.Players == nil {
		return nil
	}
	ids := make([]sandlot.ProjectID, len(projects))
	for i, p := range projects {
		ids[i] = p.ID
	}
	warnings, err := a.Players.Warn(c.R.Context(), c.By, ids...)
	if err != nil {
		a.logFault(c, err)
	}
	return warnings
}

// threw returns the warning that pages of a version threw errors in browsers of players. A failed read is logged.
func threw(a *API, c *call, p sandlot.Project, version int) []sandlot.Warning {
	if a.Faults == nil {
		return nil
	}
	warnings, err := a.Faults.After(c.R.Context(), c.By, p, version)
	if err != nil {
		a.logFault(c, err)
	}
	return warnings
}

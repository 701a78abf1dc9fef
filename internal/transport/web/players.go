package web

import (
	"context"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
)

// boardService is the part of a boards.Service that pages call.
type boardService interface {
	List(ctx context.Context, by sandlot.Caller, ref string) ([]boards.Board, error)
	Top(ctx context.Context, by sandlot.Caller, v players.Visit, q boards.Query) (boards.Top, error)
	Board(ctx context.Context, by sandlot.Caller, ref string, q boards.Query) (boards.Board, boards.Top, error)
	Amend(ctx context.Context, by sandlot.Caller, ref, board string, c boards.Change) (boards.Board, error)
	Delete(ctx context.Context, by sandlot.Caller, ref, board string) error
	MovedToday(ctx context.Context, by sandlot.Caller, limit int) ([]boards.Moved, error)
}

// playerService is the part of a players.Service that pages call.
type playerService interface {
	Usage(ctx context.Context, by sandlot.Caller, ref string) (players.Usage, error)
	RemovePlayer(ctx context.Context, by sandlot.Caller, ref, player string, refuse bool) error
}

// faultService is the part of a faults.Service that pages call.
type faultService interface {
	Errors(ctx context.Context, by sandlot.Caller, ref string, version int) (sandlot.Project, []faults.Group, error)
	Message(ctx context.Context, by sandlot.Caller, v players.Visit, text string) error
	Messages(ctx context.Context, by sandlot.Caller, ref string, limit int, cursor string) ([]faults.Message, string, error)
	DeleteMessage(ctx context.Context, by sandlot.Caller, ref string, id int64) error
}

// A playerRooms holds the services for boards, players and their errors and messages.
type playerRooms struct {
	boards  boardService
	players playerService
	faults  faultService
}

// roomsOf returns the services of a Config; nil if the instance has no runtime.
func roomsOf(c Config) *playerRooms {
	if c.Boards == nil || c.Players == nil || c.Faults == nil {
		return nil
	}
	return &playerRooms{c.Boards, c.Players, c.Faults}
}

// shows reports whether the page of a project shows its boards.
func (r *playerRooms) shows(p sandlot.Project) bool {
	return r != nil && p.Runtime != sandlot.RuntimeOff
}

// takes reports whether players of a project may send scores and messages.
func (r *playerRooms) takes(p sandlot.Project) bool {
	return r != nil && p.Runtime == sandlot.RuntimeOn
}

// visitOf returns the visit of a visitor of a project's page. It has no token: the website never sees the token of the
// player in the frame.
func visitOf(v *visit, p sandlot.Project) players.Visit {
	from := v.origin().Addr
	return players.Visit{Project: p, From: from, Exempt: admission.Exempt(from, v.public())}
}

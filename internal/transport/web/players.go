package web

import (
	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
)

// A playerRooms holds the services for boards, players and their errors and messages.
type playerRooms struct {
	boards  *boards.Service
	players *players.Service
	faults  *faults.Service
}

// roomsOf returns the services of a Config; nil if the instance has no runtime.
func roomsOf(c Config) *playerRooms {
	if c.Players == nil {
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

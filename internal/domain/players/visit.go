package players

import (
	"net/netip"
	"time"

	"sandlot"
)

// A Visit is a call of a player's page or program to its project.
type Visit struct {
	Project sandlot.Project // as the request found it
	Token   sandlot.Digest  // the hash of the player's token; zero if the call brings none
	From    netip.Addr      // of the request; never stored
	Exempt  bool            // whether the client has no limits: see admission.Exempt
}

// Changes refuses a visit that is to change something: CodeRuntimeOff unless the owner lets players keep things.
func (v Visit) Changes() error { panic("seam") }

// Reads refuses a visit to a project whose owner lets players do nothing: CodeRuntimeOff.
func (v Visit) Reads() error { panic("seam") }

// Known refuses a visit without a token: CodePlayerRequired.
func (v Visit) Known() error { panic("seam") }

// A Player is the public side of a player.
type Player struct {
	ID    string // names the player on boards: 10 characters of Crockford's base32; empty until something is kept
	Name  string // "" if none was typed
	Since string // the stamp of this stay, for scores: sealed, of the time of the call
}

// A Save is the value in a slot of a player. List leaves Value empty.
type Save struct {
	Slot  string
	Value []byte // JSON
	Size  int64
	At    time.Time
}

// A Shared is a value that all players of a project read and write; the last write wins. SharedKeys leaves Value empty.
type Shared struct {
	Key   string
	Value []byte // JSON
	Size  int64
	At    time.Time
}

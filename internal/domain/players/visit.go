package players

import (
	"net/netip"
	"time"

	"sandlot"
)

// A Visit is a call of a player's page or program to its project.
type Visit struct {
	Project sandlot.Project // at the time of the request
	Token   sandlot.Digest  // the hash of the player's token; zero if the call brings none
	From    netip.Addr      // of the request; not stored
	Exempt  bool            // whether the client has no limits: see admission.Exempt
}

// Reads refuses a visit to a project whose owner has turned its runtime off: CodeRuntimeOff.
func (v Visit) Reads() error {
	if v.Project.Runtime == sandlot.RuntimeOff {
		return sandlot.Refuse(sandlot.CodeRuntimeOff, "The maker of %s has turned saves and scores off.", v.Project.ID).
			Note("Go on without saving. The maker turns them on with PATCH /v1/project/%s {\"runtime\": \"on\"}.", v.Project.ID)
	}
	return nil
}

// Changes refuses a visit that may not change data: CodeRuntimeOff unless the owner lets players change data.
func (v Visit) Changes() error {
	if v.Project.Runtime == sandlot.RuntimeRead {
		return sandlot.Refuse(sandlot.CodeRuntimeOff, "The maker of %s lets players read their data, and change nothing.", v.Project.ID).
			Note("Go on without saving. The maker lifts this with PATCH /v1/project/%s {\"runtime\": \"on\"}.", v.Project.ID)
	}
	return v.Reads()
}

// Known refuses a visit without a token: CodePlayerRequired.
func (v Visit) Known() error {
	if v.Token == (sandlot.Digest{}) {
		return sandlot.Refuse(sandlot.CodePlayerRequired, "The call names no player.").
			Note("Draw 32 to 64 random characters of A-Z a-z 0-9 _ - once, keep them on the player's device, " +
				"and send them with each call in the header X-Sandlot-Player. The script /.sandlot/sdk.js does that by itself.")
	}
	return nil
}

// A Player is the public side of a player.
type Player struct {
	ID    string // names the player on boards: 10 characters of Crockford's base32; "" for a player without stored data
	Name  string // "": none
	Since string // the stamp of a stay that begins with the call, for scores
}

// A Value is a JSON value in a slot of a player, or shared by all players of a project. Lists of values leave JSON empty.
type Value struct {
	Name string // of the slot, or the key
	JSON []byte
	Size int64
	At   time.Time
}

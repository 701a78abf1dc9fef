package players

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"sandlot"
)

// maxStay is the lifetime of the stamp of a stay.
const maxStay = 24 * time.Hour

// Stamp returns the stamp of a stay of the player of a visit that begins now. Only this installation can make it, and it
// is of use to that player in that project alone.
func Stamp(vault *sandlot.Vault, v Visit, now time.Time) string {
	at := strconv.FormatInt(now.Unix(), 36)
	return at + "." + sealOf(vault, v, at)
}

func sealOf(vault *sandlot.Vault, v Visit, at string) string {
	sum := vault.Keyed("player's stay", string(v.Project.ID)+" "+hex.EncodeToString(v.Token[:])+" "+at)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Stayed returns the time since a stamp of the player of a visit; 0 for a stamp of another player, or over a day old.
func Stayed(vault *sandlot.Vault, v Visit, stamp string, now time.Time) time.Duration {
	at, seal, _ := strings.Cut(stamp, ".")
	seconds, err := strconv.ParseInt(at, 36, 64)
	if err != nil || seal != sealOf(vault, v, at) {
		return 0
	}
	stay := now.Sub(time.Unix(seconds, 0))
	if stay < 0 || stay > maxStay {
		return 0
	}
	return stay
}

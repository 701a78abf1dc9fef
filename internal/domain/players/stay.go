package players

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"sandlot"
)

// maxStay is how long the stamp of a stay counts.
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

// Stayed returns how long the player of a visit has been there by a stamp; 0 for a stamp that is not its own, or over a
// day old.
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

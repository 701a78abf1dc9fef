package players

import (
	"crypto/sha256"
	"regexp"

	"sandlot"
)

// tokenPattern matches a player's token.
var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{32,64}$`)

// HashToken returns the hash under which a token is kept: another for each project. ok is false for a text that is no
// token.
func HashToken(project sandlot.ProjectID, token string) (hash sandlot.Digest, ok bool) {
	if !tokenPattern.MatchString(token) {
		return sandlot.Digest{}, false
	}
	return sha256.Sum256([]byte(string(project) + "\x00" + token)), true
}

package players

import (
	"crypto/sha256"
	"regexp"

	"sandlot"
)

// tokenPattern matches a player's token.
var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{32,64}$`)

// HashToken returns the stored hash of a token, which differs between projects. ok is false for an invalid token.
func HashToken(project sandlot.ProjectID, token string) (hash sandlot.Digest, ok bool) {
	if !tokenPattern.MatchString(token) {
		return sandlot.Digest{}, false
	}
	return sha256.Sum256([]byte(string(project) + "\x00" + token)), true
}

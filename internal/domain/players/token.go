package players

import (
	"crypto/sha256"
	"regexp"

	"sandlot"
	"sandlot/internal/format/names"
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

// idLength is the number of characters of a player's ID.
const idLength = 10

// IsID reports whether a text has the form of a player's ID.
func IsID(text string) bool { return names.IsRandom(text, idLength) }

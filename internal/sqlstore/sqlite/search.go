package sqlite

import "strings"

// Listings is a query for the numbers of the projects that have all of some words, the
// largest first. Its parameters are what Words returns, a number that is larger than
// theirs, and how many.
func (Dialect) Listings() string {
	return "SELECT rowid FROM listings WHERE listings MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"
}

// Words asks Listings for what has, for each of the words, a word that begins with it.
func (Dialect) Words(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"*`
	}
	return strings.Join(quoted, " ")
}

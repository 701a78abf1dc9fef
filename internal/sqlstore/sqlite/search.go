package sqlite

import "strings"

// The words of listed projects are in a table for full text search, listings, by the
// number of the project. Triggers of the tables keep it with a project's title and
// with whether it is listed; what they cannot know is done here.

// AddListing records the words of a project that is listed from the beginning.
func (t *Tx) AddListing(project int64, title, handle string) error {
	_, err := t.Exec("INSERT INTO listings (rowid, title, handle) VALUES (?, ?, ?)", project, title, handle)
	return err
}

// RenameListings gives listed projects the handle of their account. projects is a
// query for their numbers, with its parameters.
func (t *Tx) RenameListings(handle, projects string, args ...any) error {
	_, err := t.Exec("UPDATE listings SET handle = ? WHERE rowid IN ("+projects+") AND handle <> ?", append(append([]any{handle}, args...), handle)...)
	return err
}

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

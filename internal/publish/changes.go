package publish

import "context"

// A ChangeStore tells whether what is cached of projects still holds.
type ChangeStore interface {
	// Changes returns the change numbers of those projects that are there, neither deleted nor their account: Project.Change as the latest commit left it. A number grows with every commit after which anything of Project but Plays, Counted and Likes is read otherwise, or another version can be read: a version, title or other detail, a suspension or its end, a version that was erased, and what the account's handle, verification, suspension or deletion makes of it. IDs that come twice are told once.
	Changes(ctx context.Context, ids []ProjectID) (map[ProjectID]int64, error)
}

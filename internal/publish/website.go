package publish

// A SiteStore is what the website needs beside what the API does, each part with a
// consumer of its own.
type SiteStore interface {
	KeyringStore
	ManageStore
}

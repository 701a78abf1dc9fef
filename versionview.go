package sandlot

// VersionChange is a version with the changes that it made.
type VersionChange struct {
	Version
	Erased                  bool
	Known                   bool // whether the four are known: not next to an erased version, and not where they would be very many
	Added, Changed, Removed []string
	Files                   []FileChange // the same by name; a renamed file is one entry
}

// FileChange is the difference of one file between a version and the one before.
type FileChange struct {
	Name         string // in the version; for a removed file, in the one before
	From         string // the name in the one before, if the file was renamed: the bytes are the same
	Before, Size int64  // of the file in the one before and in the version; -1: it is not there
}

// VersionPage is a page of the versions of a project, newest first, as its owner sees them.
type VersionPage struct {
	Project  Project
	Versions []VersionView
	Next     string // cursor of the next page, empty at the end
}

// VersionView is a version with its address, which is empty for an erased version, or where versions have none.
type VersionView struct {
	VersionChange
	Address string
}

package sandlot

// VersionChange is a version with what it changed.
type VersionChange struct {
	Version
	Erased                  bool
	Known                   bool // whether the four are known: not next to a version that is gone, and not where they would be very many
	Added, Changed, Removed []string
	Files                   []FileChange // the same by name, with those that only have another name as one
}

// FileChange is what a version has other than the one before in one file.
type FileChange struct {
	Name         string // in the version; of a file that it has not, in the one before
	From         string // the name in the one before, if that is another: the bytes are the same
	Before, Size int64  // of the file in the one before and in the version; -1: it is not there
}

// VersionPage is a page of the versions of a project, newest first, as its owner sees them.
type VersionPage struct {
	Project  Project
	Versions []VersionView
	Next     string // cursor of the next page, empty at the end
}

// VersionView is a version with its address, which is empty for one that was erased, or where
// versions have none.
type VersionView struct {
	VersionChange
	Address string
}

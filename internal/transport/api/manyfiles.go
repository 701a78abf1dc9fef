package api

import (
	"sandlot"
)

// mostNamed is the number of files that the answer of a change lists: some 8,000 tokens.
const mostNamed = 100

// manyFiles holds the new and changed files of a version, and the number of all its files.
type manyFiles struct {
	Files []any `json:"files"`
	Count int   `json:"file_count"`
}

// newFiles lists the first hundred new and changed files of p.
func newFiles(p sandlot.Project, list []sandlot.File, info func(sandlot.File) any) manyFiles {
	out := manyFiles{make([]any, min(len(list), mostNamed)), p.FileCount}
	for i := range out.Files {
		out.Files[i] = info(list[i])
	}
	return out
}

// placed returns a function that describes a file at an address.
func placed(at sandlot.Addresses) func(sandlot.File) any {
	return func(f sandlot.File) any { return newFile(f, at) }
}

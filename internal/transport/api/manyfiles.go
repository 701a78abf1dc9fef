package api

import (
	"sandlot"
)

// mostNamed is how many files the answer of a change lists: some 8,000 tokens.
const mostNamed = 100

// manyFiles are the files of a version that a change made new or other, and how many files the version has.
type manyFiles struct {
	Files []any `json:"files"`
	Count int   `json:"file_count"`
}

// newFiles lists the first hundred of the files that a change made new or other in p.
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

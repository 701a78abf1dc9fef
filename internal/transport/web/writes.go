package web

import (
	"strings"

	"sandlot"
)

// writes has the operation of each form that changes a project, by its path after the project's. It never changes.
var writes = map[string]sandlot.Op{
	"":           sandlot.OpAmend,
	"/files":     sandlot.OpUpdate,
	"/move":      sandlot.OpUpdate,
	"/primary":   sandlot.OpUpdate,
	"/remove":    sandlot.OpDeleteFile,
	"/restore":   sandlot.OpRestore,
	"/delete":    sandlot.OpDeleteProject,
	newPath:      sandlot.OpPublish,
	examplesPath: sandlot.OpPublish,
}

// newPath is the form that publishes a project.
const newPath = "/new"

// Operation returns the operation of a form that is sent to a path, OpNone if it changes no project.
func Operation(path string) sandlot.Op {
	rest, ofProject := strings.CutPrefix(path, "/account/projects/")
	if !ofProject {
		if path == newPath || path == examplesPath {
			return writes[path]
		}
		return sandlot.OpNone
	}
	_, rest, nested := strings.Cut(rest, "/")
	if nested {
		rest = "/" + rest
	}
	return writes[rest]
}

package publish

import (
	"path"
	"strings"

	"sandlot/internal/names"
)

// documentTitle finds the title in the head of an HTML document.
func documentTitle(c Content) string {
	if !c.Text {
		return ""
	}
	return names.DocumentTitle(c.Head)
}

// isPacked reports whether a file of that name is expected to be gzipped.
func isPacked(filename string) bool {
	switch strings.ToLower(path.Ext(filename)) {
	case ".gz", ".tgz", ".svgz", ".unityweb":
		return true
	}
	return false
}

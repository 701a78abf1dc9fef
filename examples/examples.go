// Package examples embeds two complete games, so that there is something real to publish from the first minute on.
//
// Wick is one HTML file that needs nothing else. Runnel is a project of several files: a page, JavaScript modules, a picture and a
// WebAssembly module, which find each other by relative paths and so work at any address. README.md says how to play and publish them.
package examples

import (
	"embed"
	"io/fs"
)

const (
	// Wick is the path in Files of the single-file game.
	Wick = "wick/index.html"
	// Runnel is the folder in Files of the game of several files; its primary file is index.html.
	Runnel = "runnel"
)

//go:embed wick/index.html
//go:embed runnel/index.html runnel/*.js runnel/art.png runnel/silt.wasm
var files embed.FS

// Files is the published part of the examples, read-only: Wick, and exactly the files of the folder Runnel that belong on the web (not
// the generators that make two of them). It may be used from many goroutines at once.
func Files() fs.FS { return files }

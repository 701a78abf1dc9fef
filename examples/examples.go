// Package examples embeds two complete games, so that there is something real to publish from the first minute on.
//
// Wick is one HTML file that needs nothing else. Runnel is a project of several files: a page, JavaScript modules, a picture and a
// WebAssembly module, which find each other by relative paths and so work at any address. README.md says how to play and publish them.
package examples

import (
	"embed"
	"io/fs"
	"path"
)

const (
	// Wick is the path in Files of the single-file game.
	Wick = "wick/index.html"
	// Runnel is the folder in Files of the game of several files; its primary file is index.html.
	Runnel = "runnel"
)

// An Example is one of the games, with the words that a publish has beside its files.
type Example struct {
	Name, Description string
	Tags              []string
	Folder            string // in Files; its index.html is the primary file
}

// All returns the examples, in the order in which they are shown.
func All() []Example {
	return []Example{
		{
			"Wick", "Guide a small moth from lantern to lantern through one long night. One button, any device.",
			[]string{"arcade", "one-button"},
			path.Dir(Wick),
		},
		{
			"Runnel", "Dig the sand a way to its jar before the day is out. Forty thousand grains at a time, simulated in WebAssembly.",
			[]string{"puzzle", "sand"},
			Runnel,
		},
	}
}

//go:embed wick/index.html
//go:embed runnel/index.html runnel/*.js runnel/art.png runnel/silt.wasm
var files embed.FS

// Files is the published part of the examples, read-only: Wick, and exactly the files of the folder Runnel that belong on the web (not
// the generators that make two of them). It may be used from many goroutines at once.
func Files() fs.FS { return files }

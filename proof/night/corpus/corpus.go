// Package corpus makes the pages of a night on a public instance: pages of phishing as crews publish them on free hosts, and first
// games of honest makers. The pages are test data: brands are only text, and all their addresses end in .example, .test or .invalid,
// so that nothing leaves. The same seed makes the same pages.
//
// The pages were written without a look at the checks of the product, and must stay so: a page that is bent to a check measures nothing.
package corpus

import (
	"math/rand/v2"
	"slices"
)

// Page is a project as its publisher uploads it.
type Page struct {
	// Kind is login, card, seed, parcel, tax or wallet; or the name of the game of an honest page.
	Kind string
	// Way is clear, obfuscated, picture, click or other; or plain, files, bundle or packed for an honest page.
	Way string
	// Trick is the method within the way, such as "aes".
	Trick string
	// Title is the title that the publisher gives to the project.
	Title string
	// Lang is the language of the page: de, en, es, fr, ja, pt or zh.
	Lang string
	// Files has the content of each file by path; the first page is index.html.
	Files map[string][]byte
	// Collects reports whether the page itself asks for a secret or a signature. The other pages of phishing lead elsewhere.
	Collects bool
	// Honest reports whether the page is a game or a program of an honest maker.
	Honest bool
	// Password reports whether an honest page has a field for a password.
	Password bool
}

// A share is a way with its part of all pages of phishing, in percent.
type share struct {
	way     string
	percent int
}

// shares are the ways of phishing, by the studies of kits and of free hosts.
var shares = []share{{"clear", 35}, {"obfuscated", 25}, {"picture", 15}, {"click", 15}, {"other", 10}}

// Phishing returns n pages of phishing. About a third of them have the same bytes as another one.
func Phishing(seed int64, n int) []Page {
	rng := rand.New(rand.NewPCG(uint64(seed), 1)) // #nosec G115 -- any number is a seed
	var pages []Page
	for i, s := range shares {
		count := n * s.percent / 100
		if i == len(shares)-1 {
			count = n - len(pages)
		}
		pages = append(pages, crew(rng, s.way, count)...)
	}
	shuffle(rng, pages)
	return pages
}

// crew returns pages of a way: two thirds new ones, each trick in turn, and copies of them. A few of the new ones have most copies.
func crew(rng *rand.Rand, way string, count int) []Page {
	pages := make([]Page, 0, count)
	tricks := slices.Clone(ways[way])
	for i := range count - count/3 {
		if i%len(tricks) == 0 {
			shuffle(rng, tricks)
		}
		pages = append(pages, tricks[i%len(tricks)].page(rng, way))
	}
	for fresh := len(pages); len(pages) < count; {
		again := pages[min(rng.IntN(fresh), rng.IntN(fresh), rng.IntN(fresh))]
		if rng.IntN(3) == 0 {
			again.Title = lure(rng, again.Title)
		}
		pages = append(pages, again)
	}
	return pages
}

// shuffle puts items into an order drawn by rng.
func shuffle[T any](rng *rand.Rand, items []T) {
	rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}

// pick returns an item drawn by rng.
func pick[T any](rng *rand.Rand, items []T) T { return items[rng.IntN(len(items))] }

package gallery

import "slices"

// knownTags holds the tags that have a name in every language of the website. It never changes.
var knownTags = []string{
	"action", "puzzle", "platformer", "shooter", "racing", "strategy", "rpg", "adventure", "simulation", "card", "board", "word",
	"music", "sports", "educational", "art", "tool", "demo", "multiplayer", "3d",
}

// KnownTags returns the tags that have a name in every language of the website. Owners may also use words of their own.
func KnownTags() []string { return slices.Clone(knownTags) }

// KnownTag reports whether a tag is one of KnownTags.
func KnownTag(tag string) bool { return slices.Contains(knownTags, tag) }

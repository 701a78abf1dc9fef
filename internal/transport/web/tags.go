package web

import (
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// tagName is how the names of the texts begin that are known tags.
const tagName = "tag."

// Tag is the name of a tag in the visit's language: known ones have one in each, others are what their owners wrote.
func (v *visit) Tag(tag string) string {
	if gallery.KnownTag(tag) {
		return v.T(tagName + tag)
	}
	return tag
}

// tagHeading is what the page of a tag is called.
func tagHeading(v *visit, tag string) string {
	if gallery.KnownTag(tag) {
		return v.Tag(tag)
	}
	return isolated("#" + tag)
}

// tagWords are tags as a form shows them.
func tagWords(v *visit, tags sandlot.Tags) string {
	list := tags.List()
	for i, tag := range list {
		list[i] = v.Tag(tag)
	}
	return strings.Join(list, ", ")
}

// readTagWords are the tags that somebody wrote into a form. The name of a known one in the visit's language is that one.
func (v *visit) readTagWords(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",،、，;；\n", r) })
	list = slices.DeleteFunc(list, func(word string) bool { return strings.TrimSpace(word) == "" })
	for i, word := range list {
		for _, tag := range gallery.KnownTags() {
			if strings.EqualFold(strings.TrimSpace(word), v.T(tagName+tag)) {
				list[i] = tag
			}
		}
	}
	return list
}

package check

import (
	"bytes"
	"regexp"
	"strings"
)

// named holds the files that models of glTF and maps of Tiled load, which lie beside them.
type named struct {
	Buffers, Images []struct{ URI string }
	Tilesets        []struct{ Image, Source string }
	Layers          []struct{ Image string }
	TileWidth       int
	Image           string
}

// naming keeps the names in a data file. Once a name is not found as written, it does not search the places of later
// ones.
func (s *scanner) naming(n *named) {
	at, found, slash := 0, true, "/"
	if bytes.Contains(s.text, []byte(`\/`)) { // as Tiled writes it
		slash = `\/`
	}
	keep := func(name string) {
		if name == "" {
			return
		}
		if written := strings.ReplaceAll(name, "/", slash); found {
			i := bytes.Index(s.text[at:], []byte(`"`+written+`"`))
			if found = i >= 0; found {
				at += i
			}
		}
		s.ref(loads, []byte(name), at)
	}
	if kindOfModel(s.name) {
		for _, b := range append(n.Buffers, n.Images...) {
			keep(b.URI)
		}
		return
	}
	if s.tiled = n.TileWidth > 0; !s.tiled {
		return
	}
	for _, t := range n.Tilesets {
		keep(t.Image)
		keep(t.Source)
	}
	for _, l := range n.Layers {
		keep(l.Image)
	}
	keep(n.Image)
}

// picture is an element of a Tiled map, as XML, for a picture or for a set of tiles in a file of its own.
var picture = regexp.MustCompile(`<(?:image|tileset)\s[^<>]*?\bsource="([^"<>&]+)"`)

// mapXML keeps the names in a Tiled map in XML.
func (s *scanner) mapXML() {
	if s.tiled = bytes.Contains(s.text, []byte("tilewidth=")); !s.tiled {
		return
	}
	for _, found := range picture.FindAllSubmatchIndex(s.text, mostRefs) {
		s.ref(loads, s.text[found[2]:found[3]], found[2])
	}
}

// kindOfModel reports whether a file is a model of glTF, by its name.
func kindOfModel(name string) bool {
	return len(name) > 5 && foldedIs([]byte(name[len(name)-5:]), ".gltf")
}

// mapsLoad reports whether the pictures of maps are loaded by their names in the maps: Phaser does not load them, and
// if no script reads the names, they only record how the map was drawn.
func (f *finder) mapsLoad() bool { return f.All && f.any(tilesets) && f.any(images) && !f.any(phaser) }

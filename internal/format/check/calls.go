package check

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// near is how far before a string the lexer looks for its purpose, in bytes.
const near = 64

// literal checks the string between two quotes, and keeps it if it is used to load a file.
func (x *lexer) literal(start, end int) {
	before := bytes.TrimRight(x.text[max(0, start-near):start], " \t\r\n")
	if len(before) == 0 || end-start < 2 || end-start > longestRef {
		return
	}
	switch rest := before[:len(before)-1]; before[len(before)-1] {
	case '(':
		x.argument(rest, start, end)
	case '=':
		if bytes.HasSuffix(bytes.TrimRight(rest, " "), []byte(".src")) && x.ends(end) {
			x.ref(asks, x.text[start+1:end], start)
		}
	case 'm':
		if string(wordBefore(before)) == "from" {
			x.ref(x.imported(end), x.text[start+1:end], start)
		}
	case 't':
		if string(wordBefore(before)) == "import" && !bytes.HasSuffix(before, []byte(".import")) {
			x.ref(x.imported(end), x.text[start+1:end], start)
		}
	case '[':
		how := asks
		if x.follows(start, ",[") {
			how = x.after
		} else if !bytes.HasSuffix(bytes.TrimRight(rest, " \t\r\n"), []byte("src:")) {
			return
		}
		if x.howl(end) {
			x.file(how, start, end)
		}
	case ':':
		if bytes.HasSuffix(bytes.TrimRight(rest, " "), []byte("src")) && bytes.Contains(before, []byte("Howl(")) {
			x.file(asks, start, end)
		}
	case ',':
		if x.follows(start, ",") {
			x.file(x.after, start, end)
			x.last = end
		}
	}
}

// follows reports whether between alone stands between a string and the one before it, in a call that names its files.
func (x *lexer) follows(start int, between string) bool {
	return x.last >= 0 && start-x.last < near && string(bytes.Join(bytes.Fields(x.text[x.last+1:start]), nil)) == between
}

// howl reports whether the list that a string begins consists of strings alone, like the sources of a sound: a browser
// needs only one of these, and most take the first.
func (x *lexer) howl(end int) bool {
	list := x.text[end+1 : min(x.end, end+1+4*near)]
	n := bytes.IndexByte(list, ']')
	return n >= 0 && !bytes.ContainsAny(list[:n], "+$(`")
}

// imported returns how an import loads the file that a string ending there names: an import with a type (of JSON or a
// style) loads no module.
func (x *lexer) imported(end int) how {
	after := bytes.TrimLeft(x.text[end+1:min(x.end, end+1+near)], " \t\r\n")
	if bytes.HasPrefix(after, []byte("with")) || bytes.HasPrefix(after, []byte("assert")) || bytes.HasPrefix(after, []byte(",")) {
		return loads
	}
	return imports
}

// argument handles a string that is the first argument of a call.
func (x *lexer) argument(before []byte, start, end int) {
	before = bytes.TrimRight(before, " ")
	word := wordBefore(before)
	if len(word) < 3 || len(word) > 26 {
		return
	}
	of := before[:len(before)-len(word)]
	switch string(word) {
	case "import":
		if !bytes.HasSuffix(of, []byte(".")) && x.ends(end) {
			x.ref(x.imported(end), x.text[start+1:end], start)
		}
	case "fetch":
		if !bytes.HasSuffix(of, []byte(".")) || bytes.HasSuffix(of, []byte("window.")) || bytes.HasSuffix(of, []byte("self.")) {
			x.file(asks, start, end)
		}
	case "WebSocket", "EventSource":
		if x.ends(end) && bytes.Contains(x.text[start:end], []byte("//")) {
			x.ref(asks, x.text[start+1:end], start)
		}
	case "addModule":
		if bytes.HasSuffix(bytes.ToLower(of), []byte("worklet.")) {
			x.file(asks, start, end)
		}
	case "Audio", "Worker", "SharedWorker":
		if bytes.HasSuffix(bytes.TrimRight(of, " "), []byte("new")) && x.ends(end) {
			x.ref(asks, x.text[start+1:end], start)
			x.alone(end, string(word) != "Audio")
		}
	case "importScripts":
		x.file(asks, start, end)
	case "register":
		if bytes.HasSuffix(of, []byte("serviceWorker.")) && x.ends(end) {
			x.ref(registers, x.text[start+1:end], start)
			x.alone(end, true)
		}
	case "URL":
		after := bytes.TrimLeft(x.text[end+1:min(len(x.text), end+40)], " ,\n")
		if bytes.HasPrefix(after, []byte("import.meta.url")) && !isFolder(x.text[start+1:end]) {
			x.ref(loads, x.text[start+1:end], start)
		}
	// Of p5, three or kaplay: with a name first, or without.
	case "loadImage", "loadSound", "loadFont", "loadJSON", "loadStrings", "loadTable", "loadShader", "loadModel", "loadAsync",
		"loadSprite", "loadSpriteAtlas", "loadMusic", "loadAseprite", "loadPedit", "loadBitmapFont":
		x.file(fetches, start, end)
		x.last, x.after = end, fetches
	case "Sound", "CreateGroundFromHeightMap": // of Babylon, likewise
		if bytes.Contains(of[max(0, len(of)-len("BABYLON.MeshBuilder.")):], []byte("BABYLON.")) {
			x.last, x.after = end, asks
		}
	case "Texture", "CubeTexture":
		if bytes.HasSuffix(of, []byte("BABYLON.")) {
			x.file(asks, start, end)
		}
	case "fromImage", "from": // of Pixi, where a plain name may be a part of a picture
		made := bytes.HasSuffix(of, []byte("Sprite.")) || bytes.HasSuffix(of, []byte("Texture."))
		if made && bytes.IndexByte(x.text[start:end], '/') >= 0 {
			x.file(fetches, start, end)
		}
	case "add": // of Pixi's loader, one after the other
		of = bytes.TrimRight(bytes.TrimSuffix(of, []byte(".")), " \t\r\n")
		if bytes.HasSuffix(bytes.TrimSuffix(of, []byte(".shared")), []byte("oader")) {
			x.file(fetches, start, end)
			x.last, x.after = end, fetches
		}
	case "open": // of XMLHttpRequest: a method first
		if method := string(x.text[start+1 : end]); method == "GET" || method == "get" || method == "HEAD" {
			x.last, x.after = end, asks
		}
	case "image", "audio", "spritesheet", "atlas", "multiatlas", "tilemapTiledJSON", "tilemapCSV", "bitmapFont", "json", "video",
		"svg", "xml", "text", "aseprite", "glsl", "binary":
		if bytes.HasSuffix(of, []byte(".load.")) {
			x.last, x.after = end, fetches
		}
	case "load":
		if bytes.HasSuffix(of, []byte(".")) {
			x.file(fetches, start, end)
		}
	}
}

// alone keeps the last reference as one to a classic script, if it is a worker and the only argument of its call.
func (x *lexer) alone(end int, worker bool) {
	after := bytes.TrimLeft(x.text[end+1:min(x.end, end+1+near)], " \t\r\n")
	if worker && len(x.refs) > 0 && len(x.classics) < mostRefs && bytes.HasPrefix(after, []byte(")")) {
		x.classics = append(x.classics, x.refs[len(x.refs)-1])
	}
}

// isFolder reports whether a reference is a folder, from which a program makes other references.
func isFolder(value []byte) bool {
	return bytes.HasSuffix(value, []byte("/")) || path.Base(string(value)) == "." || path.Base(string(value)) == ".."
}

// file keeps a string that is a whole argument and names a file by its extension.
func (x *lexer) file(how how, start, end int) {
	if x.ends(end) && namesFile(bytes.TrimSpace(x.text[start+1:end])) {
		x.ref(how, x.text[start+1:end], start)
	}
}

// ends reports whether the string that ends there is a whole expression.
func (x *lexer) ends(end int) bool {
	after := x.text[end+1 : min(x.end, end+1+near)]
	rest := bytes.TrimLeft(after, " \t\r\n")
	if len(rest) == 0 {
		return true
	}
	switch rest[0] {
	case ')', ',', ';', '}', ']':
		return true
	case '+', '.', '[', '?', '|', '&', '*', '-', '/', '%', '=', '<', '>', '(', '`':
		return false
	}
	return bytes.IndexByte(after[:len(after)-len(rest)], '\n') >= 0
}

// namesFile reports whether a reference has the extension of a file that is published, or leads to another host.
func namesFile(value []byte) bool {
	if bytes.Contains(value, []byte("//")) {
		return true
	}
	to, _, _ := strings.Cut(string(value), "?")
	to, _, _ = strings.Cut(to, "#")
	return slices.Contains(published, strings.ToLower(path.Ext(to)))
}

// published are the extensions of files that scripts load.
var published = strings.Fields(".json .js .mjs .css .html .png .jpg .jpeg .gif .webp .avif .svg .mp3 .ogg .wav .m4a .flac .mp4 .webm " +
	".wasm .txt .csv .tsv .xml .md .glsl .vert .frag .wgsl .gltf .glb .obj .mtl .fbx .stl .hdr .bin .data " +
	".ttf .otf .woff .woff2 .fnt .atlas .tmx .tmj .tsj .ldtk .pck .zip")

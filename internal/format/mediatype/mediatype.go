// Package mediatype determines the type of a published file, from its name alone.
//
// Nothing is ever guessed from the bytes: a browser that trusts the type (with sniffing switched off) treats a file the
// same today and tomorrow, and a file without an extension can never become a page. The table is fixed and is the same
// on every machine; the operating system's table is not used.
//
// Everything here is a pure function and may be called concurrently.
package mediatype

import "strings"

// Unknown is the type of every file whose extension is not in the table. A browser downloads such a file and runs none
// of it.
const Unknown = "application/octet-stream"

// Of returns the Content-Type of a file. Only the last extension counts, in any case: "a.html.txt" is plain text, "x"
// is Unknown. utf8 reports whether the file's bytes are valid UTF-8; then a text type says "charset=utf-8", and
// otherwise no charset, so that a page can declare its own.
//
// A pre-compressed build such as "game.wasm.br" has the type of its unpacked file if it has an [Encoding], which it
// must then be sent with.
func Of(filename string, utf8 bool) string {
	if Encoding(filename) != "" {
		return types[extension(Inner(filename))].name
	}
	t, ok := types[extension(filename)]
	switch {
	case !ok:
		return Unknown
	case utf8 && strings.HasPrefix(t.name, "text/"):
		return t.name + "; charset=utf-8"
	}
	return t.name
}

// IsHTML reports whether browsers show the file as a page.
func IsHTML(filename string) bool { return types[extension(filename)].name == "text/html" }

// Compressible reports whether files of this name are worth compressing: text,
// code, fonts and data, but nothing that is compressed already.
func Compressible(filename string) bool {
	t := types[extension(filename)]
	return t.name != "" && !t.dense && Encoding(filename) == ""
}

// Encoding returns the Content-Encoding ("br" or "gzip") with which a pre-compressed file is sent to the program that
// requests it by this name, and "" for any other file. Engines such as Unity write "x.wasm.br" and "x.data.gz" and
// expect the browser to unpack them.
//
// Browsers cannot unpack br by themselves, so every known type counts there. Programs do unpack gzip
// ("levels.json.gz"), and would get unpacked bytes: for ".gz" only the files that engines write count.
func Encoding(filename string) string {
	inner := Inner(filename)
	switch t, known := types[extension(inner)]; {
	case inner == filename || !known:
		return ""
	case extension(filename) == "br":
		return "br"
	case t.build || strings.HasSuffix(strings.ToLower(inner), ".symbols.json"):
		return "gzip"
	}
	return ""
}

// Inner returns the name without its last ".br" or ".gz", and any other name
// unchanged.
func Inner(filename string) string {
	if e := extension(filename); e == "br" || e == "gz" {
		return filename[:len(filename)-3]
	}
	return filename
}

// extension returns the text after the last dot of the last segment, in lower case, or "".
func extension(filename string) string {
	segment := filename[strings.LastIndexByte(filename, '/')+1:]
	dot := strings.LastIndexByte(segment, '.')
	if dot < 0 {
		return ""
	}
	return strings.ToLower(segment[dot+1:])
}

// Package lure finds pages that request secrets of their readers: passwords, payment cards, the words of a wallet, and
// forms that send elsewhere.
//
// It reads pages, scripts and SVG pictures without running them, and undoes the encodings that hide such a field from a search for
// words: escapes, base64, character codes, joined and reversed strings, data: URLs. The work is linear in the bytes read.
//
// It does not see: text inside of pictures, fields drawn on a canvas, elements that are editable without being fields,
// files that a page loads from elsewhere, fields that a script builds from computed values, and requests that scripts send by themselves.
package lure

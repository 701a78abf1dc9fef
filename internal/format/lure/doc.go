// Package lure finds pages that request secrets of their readers: passwords, payment cards, the words of a wallet, and
// forms that send elsewhere; and pages that only lead elsewhere.
//
// It reads pages, scripts and SVG pictures without running them, and undoes the encodings that hide such a field from a search for
// words: escapes, base64, character codes, joined and reversed strings, packed code, data: URLs. The work is linear in the bytes read.
//
// It does not see: text inside of pictures, fields drawn on a canvas or made of elements that hear keys, files that a page loads from
// elsewhere, text that a script decrypts, unpacks or sorts, and requests that scripts send by themselves.
package lure

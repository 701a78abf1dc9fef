package main

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
)

// text returns n bytes of a page that compress about as well as a program, to a third; the same n gives the same bytes.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	words := make([][]byte, 4000)
	for i := range words {
		w := make([]byte, 2+r.IntN(9))
		for j := range w {
			w[j] = byte('a' + r.IntN(26))
		}
		words[i] = append(w, " .;(){}=\n"[r.IntN(9)])
	}
	var b bytes.Buffer
	b.Grow(n + 16)
	b.WriteString("<!doctype html><title>Bench</title><pre>\n")
	for b.Len() < n {
		u := r.Float64() // some words are more frequent than others
		b.Write(words[int(u*u*u*float64(len(words)))])
	}
	return b.Bytes()[:n]
}

// encoded returns the content in its JSON form.
func encoded(content []byte) string { return base64.StdEncoding.EncodeToString(content) }

package model_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// base64Page is a page that was encoded once too often.
var base64Page = base64.StdEncoding.EncodeToString([]byte("<p>hello"))

// names are few, so that they meet: some differ only in case, some are a folder
// of another.
var names = []string{primary, "style.css", "STYLE.css", "a", "a/b.js", "A/c.js", "more/page.txt", "game.html", "data.bin"}

// text draws the bytes of a file, kept in the database or on the disk.
func text(t *rapid.T) string {
	n := rapid.IntRange(0, 99).Draw(t, "n")
	switch rapid.SampledFrom([]string{
		"page", "large page", "bytes", "large bytes", "page", "large page", "empty", "gzip",
		"base64",
	}).Draw(t, "content") {
	case "page":
		return fmt.Sprintf("<!doctype html><title>T%d</title>", n)
	case "large page":
		return fmt.Sprintf("<!doctype html><title>T%d</title>", n) + strings.Repeat("meow ", 20+n/4)
	case "bytes":
		return fmt.Sprintf("bytes %d\xff", n)
	case "large bytes":
		return strings.Repeat(fmt.Sprintf("bytes %d\xff", n), 30)
	case "gzip":
		return fmt.Sprintf("\x1f\x8b%d", n)
	case "base64":
		return base64Page
	}
	return ""
}

// title is that of a page that was published without one.
func title(page string) string {
	_, rest, ok := strings.Cut(page, "<title>")
	if !ok || !utf8.ValidString(page) {
		return ""
	}
	name, _, _ := strings.Cut(rest, "</title>")
	return name
}

// pick draws one of several, the first ones more often.
func pick[T any](t *rapid.T, what string, from []T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(t, what)]
}

// often is true three times of four.
func often(t *rapid.T, what string) bool {
	return rapid.SampledFrom([]bool{true, true, true, false}).Draw(t, what)
}

// maybe draws a value or nothing.
func maybe[T any](t *rapid.T, what string, values ...T) *T {
	i := rapid.IntRange(-1, len(values)-1).Draw(t, what)
	if i < 0 {
		return nil
	}
	return &values[i]
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// seldom is true once in four times.
func seldom(t *rapid.T, what string) bool { return !often(t, "not "+what) }

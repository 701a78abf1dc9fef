package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A key is sla_ or slp_ and 36 characters. Any 16 of them in a row reveal too much, and occur nowhere by chance.
const (
	keyPrefix = 4
	inARow    = 16
)

// sweepForKeys reads all files of the run: data, log and ledger. None may hold a part of a key.
func (e *epoch) sweepForKeys() error {
	parts := map[string]bool{}
	for _, key := range e.keys.keys {
		for i := keyPrefix; i+inARow <= len(key); i++ {
			parts[key[i:i+inARow]] = true
		}
	}
	if len(parts) == 0 && e.untouched() {
		return nil // the few remaining kills came before any work
	}
	if len(parts) == 0 {
		return fmt.Errorf("there are no keys to search for")
	}
	err := sweepFolder(e.dir, parts)
	if err == nil && e.place != nil {
		err = sweepFolder(e.blobs, parts)
	}
	return err
}

func sweepFolder(dir string, parts map[string]bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if at := findPart(data, parts); at >= 0 {
			return fmt.Errorf("%s holds a key at byte %d", path, at)
		}
		return nil
	})
}

// findPart returns the position of one of the parts, or -1. It looks up only rows of letters and digits with a capital.
// The published bytes have no capitals, while nearly every part of a key has one.
func findPart(data []byte, parts map[string]bool) int {
	for from := 0; ; {
		at := capital(data, from)
		if at < 0 {
			return -1
		}
		begin, end := at, at+1
		for begin > from && alphanumeric(data[begin-1]) {
			begin--
		}
		for end < len(data) && alphanumeric(data[end]) {
			end++
		}
		for i := begin; i+inARow <= end; i++ {
			if parts[string(data[i:i+inARow])] {
				return i
			}
		}
		from = end
	}
}

// capital returns the position of the first capital from there on, or -1.
func capital(data []byte, from int) int {
	for i := from; i < len(data); i++ {
		if 'A' <= data[i] && data[i] <= 'Z' {
			return i
		}
	}
	return -1
}

func alphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

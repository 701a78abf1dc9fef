package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A key is sla_ or slp_ and 36 characters. Any 16 of them in a row say more than
// should be anywhere, and stand nowhere by chance.
const (
	keyPrefix = 4
	inARow    = 16
)

// sweepForKeys reads every file that the run has left: data, log and ledger. None
// may hold a part of a key.
func (e *epoch) sweepForKeys() error {
	parts := map[string]bool{}
	for _, key := range e.keys.keys {
		for i := keyPrefix; i+inARow <= len(key); i++ {
			parts[key[i:i+inARow]] = true
		}
	}
	if len(parts) == 0 && e.untouched() {
		return nil // the few kills that were left came before any work
	}
	if len(parts) == 0 {
		return fmt.Errorf("there were no keys to look for")
	}
	return filepath.WalkDir(e.dir, func(path string, d fs.DirEntry, err error) error {
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

// findPart returns where one of the parts begins, or -1. Only rows of letters and
// digits with a capital are looked up, which the published bytes have not: a key
// has one in nearly any place.
func findPart(data []byte, parts map[string]bool) int {
	row, capital := 0, -inARow
	for i, b := range data {
		if !alphanumeric(b) {
			row = 0
			continue
		}
		if 'A' <= b && b <= 'Z' {
			capital = i
		}
		if row++; row >= inARow && i-capital < inARow && parts[string(data[i+1-inARow:i+1])] {
			return i + 1 - inARow
		}
	}
	return -1
}

func alphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"sandlot/internal/format/inspect"
	"sandlot/proof/bench/rig"
)

// keysRow compares the search for keys, in content built as its worst case, with hashing the same bytes. Both run in
// this process: the search is too small a part of a publish to be measured there.
func keysRow(_ context.Context, b *bench) ([]line, error) {
	wrong := []byte(rig.MadeUpKey(1, 1))
	if last := &wrong[len(wrong)-1]; *last == '0' {
		*last = '1'
	} else {
		*last = '0'
	}
	var out []line
	for _, c := range []struct {
		name string
		of   []byte
	}{
		{"beginnings of keys", []byte("sla_")},
		{"keys with a wrong checksum", wrong},
		{"the same, each behind a beginning", append([]byte("sla_"), wrong...)},
	} {
		const window = 32 << 10
		text := bytes.Repeat(c.of, window/len(c.of))
		if inspect.FindKey(text) >= 0 {
			return nil, fmt.Errorf("a key is among %s", c.name)
		}
		sum := sha256.New()
		p, err := b.pairs(
			func() (float64, error) { return milliseconds(text, func() { inspect.FindKey(text) }), nil },
			func() (float64, error) { return milliseconds(text, func() { sum.Write(text) }), nil })
		if err != nil {
			return nil, err
		}
		out = append(out, line{
			what: "the search in 100 MB of " + c.name + ", against hashing them", ours: fmt.Sprintf("%.0f ms", p.ours),
			yard: fmt.Sprintf("%.0f ms", p.yard), ratio: p.ratio, reach: "<= 2", reached: p.ratio <= 2,
		})
	}
	return out, nil
}

// milliseconds returns the time of do for 100 MB, one piece per call.
func milliseconds(piece []byte, do func()) float64 {
	begun := time.Now()
	for range largeSize / len(piece) {
		do()
	}
	return float64(time.Since(begun)) / float64(time.Millisecond)
}

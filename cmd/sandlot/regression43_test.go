package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"sandlot/internal/domain/gallery"
)

func TestRegression43EverySizeComesFromTheMemory(t *testing.T) {
	t.Run("with more of it nothing is smaller", func(t *testing.T) {
		before := planMemory(1<<20, 0)
		for n := int64(8 << 20); n <= 1<<40; n *= 2 {
			p := planMemory(n, 0)
			if p.cache < before.cache || p.bodies < before.bodies || p.watchers < before.watchers || p.players < before.players || p.clients < before.clients || p.database < before.database || p.searches < before.searches {
				t.Errorf("%d MiB: %v, and with half of it %v", n>>20, p, before)
			}
			before = p
		}
	})
	t.Run("5,000 watchers and 16 bodies have room in 128 MB", func(t *testing.T) {
		if p := planMemory(128_000_000, 0); p.watchers < 5000 || p.bodies < 16 || p.players/4 < 5000 || p.cache < 8<<20 || p.searches > 12<<20 {
			t.Error(p)
		}
	})
	t.Run("a large machine has what it had", func(t *testing.T) {
		p := planMemory(8<<30, 0)
		if p.cache != mostCache || p.bodies != mostBodies || p.watchers != mostWatchers || p.database != mostDatabase || p.clients != 65_536 || p.players != 1_000_000 || p.searches != gallery.DefaultTexts {
			t.Error(p)
		}
	})
	t.Run("the operator's limit of Go wins, and nothing is sized above the machine", func(t *testing.T) {
		less, more, none := planMemory(1<<30, 64<<20), planMemory(128<<20, 1<<30), planMemory(128<<20, math.MaxInt64)
		if less.goLimit != 64<<20 || less.cache != 8<<20 {
			t.Error(less)
		}
		for _, p := range []memoryPlan{more, none} {
			if p.cache != planMemory(128<<20, 0).cache || p.goLimit < 1<<30 {
				t.Error(p)
			}
		}
	})
	t.Run("config check tells them", func(t *testing.T) {
		var out, errs bytes.Buffer
		err := run(t.Context(), []string{"config", "check", "--cache-size", "5242880"}, nil, &out, &errs)
		if err != nil || !strings.Contains(out.String(), "# memory") || !strings.Contains(out.String(), "cache=5MiB") {
			t.Errorf("%v %s %s", err, out.String(), errs.String())
		}
	})
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"sandlot/internal/format/check"
	"sandlot/proof/bench/rig"
)

const (
	checkPublishes = 200 // publishes in a round, which takes their mean
	checkLooks     = 2000
)

// checkRow compares the processor time of the publish check of a 10 KiB page with that of the publish. The check runs
// in this process: its part is smaller than the variation between publishes.
func checkRow(ctx context.Context, b *bench) ([]line, error) {
	page := gamePage(smallSize)
	s, err := b.Service(ctx, "")
	if err != nil {
		return nil, err
	}
	request, err := smallRequests(ctx, s, 1, page, "")
	if err != nil {
		return nil, err
	}
	p, err := b.pairs(
		func() (float64, error) { return checking(page) },
		func() (float64, error) {
			begun, err := s.CPU()
			if err != nil {
				return 0, err
			}
			_, err = rig.Crowd(ctx, s.Addr, 1, checkPublishes, time.Minute, func(l *rig.Lane, _, _ int) error {
				_, err := l.Want(http.StatusCreated, request[0])
				return err
			})
			if err != nil {
				return 0, err
			}
			ended, err := s.CPU()
			return microseconds(ended-begun) / checkPublishes, err
		})
	if err != nil {
		return nil, err
	}
	return []line{{
		what: "the check of a page of 10 KiB, against its publish, processor time", ours: fmt.Sprintf("%.0f us", p.ours),
		yard: fmt.Sprintf("%.0f us", p.yard), ratio: p.ratio, reach: "<= 0.4", reached: p.ratio <= 0.4,
	}}, nil
}

// checking returns the processor time of one check of the page.
func checking(page []byte) (float64, error) {
	var begun, ended syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &begun); err != nil {
		return 0, err
	}
	for range checkLooks {
		v := check.Version{Primary: "index.html", All: true, Names: []string{"index.html"}, Size: int64(len(page)), Count: 1}
		v.Looks = []*check.Look{check.At("index.html", page, true)}
		v.Findings()
	}
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &ended)
	used := time.Duration(ended.Utime.Nano() + ended.Stime.Nano() - begun.Utime.Nano() - begun.Stime.Nano())
	return microseconds(used) / checkLooks, err
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// gamePage returns a page with a typical game of that size: a head, a canvas, and a script.
func gamePage(size int) []byte {
	const begins, ends = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rocks</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{margin:0;background:#111;color:#eee;font:16px sans-serif}canvas{display:block;width:100vw;height:100vh}</style></head>
<body><h1>Rocks</h1><p>Steer with the arrows, or with a finger.</p><canvas id="c"></canvas><script>
"use strict"; const c = document.getElementById("c"), g = c.getContext("2d"), keys = {}, ship = {x: 0, y: 0, vx: 0}, rocks = [];
let score = 0;
addEventListener("keydown", e => keys[e.key] = true); addEventListener("pointermove", e => { ship.x = e.clientX; });
`, "requestAnimationFrame(step1);\n</script></body></html>\n"
	var page bytes.Buffer
	page.WriteString(begins)
	for i := 1; page.Len() < size-len(ends)-200; i++ {
		fmt.Fprintf(&page,
			"function step%d(t) { const x = Math.sin(t * %d) * c.width; if (keys.ArrowLeft && x > 0) { ship.vx -= 0.%d; } "+
				"g.fillRect(x, ship.y, 12, 8); score += rocks.filter(r => r.x < x).length; } // %d\n", i, i*3, i, i)
	}
	page.WriteString(ends)
	return page.Bytes()
}

package check_test

import "fmt"

// pageOf is a page of about a size, with a game as people write them.
func pageOf(size int) []byte {
	page := []byte(head + `<canvas id=c></canvas><script>"use strict"; const g = c.getContext("2d"), keys = {}, ship = {x: 0, vx: 0}, rocks = []; addEventListener("pointermove", e => { ship.x = e.clientX; });` + "\n")
	for i := 1; len(page) < size-200; i++ {
		page = fmt.Appendf(page, "function step%d(t) { const x = Math.sin(t * %d) * c.width; if (keys.ArrowLeft && x > 0) { ship.vx -= 0.%d; } g.fillRect(x, ship.y, 12, 8); return rocks.filter(r => r.x < x).length; } // %d\n", i, i*3, i, i)
	}
	return append(page, "</script></body></html>\n"...)
}

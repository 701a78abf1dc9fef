package card

import (
	"image"
	"image/color"

	"github.com/go-text/typesetting/font/opentype"
)

const (
	markSize = 44 // the side of the mark in pixels; it is drawn in a square of 16
	markGap  = 12
)

// arc places the control points of a Bezier quarter circle of radius 1: 4/3*(sqrt(2)-1).
const arc = 0.5522848

func (p *Press) signWidth() int { return markSize + markGap + p.mark.lines[0].width.Ceil() }

// sign draws the website's mark and name, in the corner where no line begins.
func (p *Press) sign(img *image.RGBA, left bool) {
	x := Width - margin - p.signWidth()
	if left {
		x = margin
	}
	for _, shape := range markShapes() {
		p.fill(img, shape.strokes, float32(x), baseline-markSize+8, float32(markSize)/16, shape.color)
	}
	for _, strokes := range p.mark.lines[0].runs {
		p.fill(img, strokes, float32(x+markSize+markGap), baseline, 1, quiet)
	}
}

type shape struct {
	strokes []stroke
	color   color.RGBA
}

// markShapes returns the shapes of the website's icon: three discs and a play button.
func markShapes() []shape {
	var shapes []shape
	for _, at := range [][2]float32{{8, 2.9}, {2.9, 8}, {8, 13.1}} {
		shapes = append(shapes, shape{disc(at[0], at[1], 2.5), quiet})
	}
	cube := func(a, b, c, d, e, f float32) stroke {
		return stroke{opentype.SegmentOpCubeTo, [3][2]float32{{a, b}, {c, d}, {e, f}}}
	}
	to := func(op opentype.SegmentOp, x, y float32) stroke { return stroke{op, [3][2]float32{{x, y}}} }
	return append(shapes, shape{[]stroke{
		to(opentype.SegmentOpMoveTo, 10.6, 5.3), cube(10.6, 4.4, 11.6, 3.9, 12.3, 4.4), to(opentype.SegmentOpLineTo, 15.6, 6.9),
		cube(16.4, 7.5, 16.4, 8.6, 15.6, 9.2), to(opentype.SegmentOpLineTo, 12.3, 11.7), cube(11.6, 12.2, 10.6, 11.7, 10.6, 10.8),
	}, light})
}

func disc(x, y, r float32) []stroke {
	at := func(dx, dy float32) [2]float32 { return [2]float32{x + dx*r, y + dy*r} }
	out := []stroke{{opentype.SegmentOpMoveTo, [3][2]float32{at(1, 0)}}}
	for _, q := range [][2]float32{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} { // the start of each quarter
		tx, ty := -q[1], q[0]
		out = append(out, stroke{opentype.SegmentOpCubeTo, [3][2]float32{
			at(q[0]+arc*tx, q[1]+arc*ty), at(tx+arc*q[0], ty+arc*q[1]), at(tx, ty),
		}})
	}
	return out
}

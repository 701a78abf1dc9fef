package web

import (
	"fmt"
	"slices"
	"strings"
)

// Measures of a sparkline, in its own units.
const (
	sparkHeight = 32
	sparkStep   = 4 // from bar to bar
	sparkBar    = 3 // the width of a bar
)

// Spark is the path of the bars for numbers, as an SVG draws it: the largest has
// the whole height, and none less than one unit, so that a day without any is
// seen as a day.
func (v view) Spark(numbers []int64) string {
	most := max(1, slices.Max(append([]int64{0}, numbers...)))
	var d strings.Builder
	for i, n := range numbers {
		height := max(1, float64(max(n, 0))/float64(most)*sparkHeight)
		fmt.Fprintf(&d, "M%d %dv%.4gh%dV%dz", i*sparkStep, sparkHeight, -height, sparkBar, sparkHeight)
	}
	return d.String()
}

// SparkBox is the view box of a sparkline of so many numbers.
func (v view) SparkBox(numbers []int64) string {
	return fmt.Sprintf("0 0 %d %d", max(1, len(numbers)*sparkStep), sparkHeight)
}

// Sum adds numbers up.
func (v view) Sum(numbers []int64) (sum int64) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

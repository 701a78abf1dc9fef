package web

import (
	"fmt"
	"strings"
)

// Measures of a sparkline, in its own units.
const (
	sparkHeight = 32
	sparkStep   = 4 // from bar to bar
	sparkBar    = 3 // the width of a bar
)

// Spark is the path of the bars for numbers, as an SVG draws it, on a scale that ends at most. A
// day with any is seen, a day without leaves its place.
func (overviewPage) Spark(numbers []int64, most int64) string {
	var d strings.Builder
	for i, n := range numbers {
		if n > 0 {
			height := max(2, float64(n)/float64(max(most, n))*sparkHeight)
			fmt.Fprintf(&d, "M%d %dv%.4gh%dV%dz", i*sparkStep, sparkHeight, -height, sparkBar, sparkHeight)
		}
	}
	return d.String()
}

// SparkBox is the view box of a sparkline of so many numbers.
func (overviewPage) SparkBox(numbers []int64) string {
	return fmt.Sprintf("0 0 %d %d", max(1, len(numbers)*sparkStep), sparkHeight)
}

// Sum adds numbers up.
func (overviewPage) Sum(numbers []int64) (sum int64) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

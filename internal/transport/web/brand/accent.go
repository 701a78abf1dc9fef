package brand

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Accent is the color of links, buttons and the focus: one for light pages and one for dark pages.
type Accent struct{ Light, Dark string } // as #rrggbb; empty: those of the program

// readable is the least contrast of text with its ground (WCAG 2.2, 1.4.3).
const readable = 4.5

// The grounds on which the accent is text, as the style sheet has them, and the text on the accent.
var (
	lightGrounds = []string{"#fdf8ef", "#ffffff", "#f6edde"}
	darkGrounds  = []string{"#100b20", "#1b1432", "#231a3d"}
)

const (
	onLight = "#ffffff"
	onDark  = "#120c1f"
)

var hexColor = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// ParseAccent reads a color as #rrggbb. It is used on light pages; dark pages get the same color, made as much lighter
// as text needs there. A color that cannot be read on a light page is an error that names the nearest readable color.
func ParseAccent(text string) (Accent, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return Accent{}, nil
	}
	if !hexColor.MatchString(text) {
		return Accent{}, fmt.Errorf("%q is not a color such as #0b6a66", text)
	}
	if light := toward(text, "#000000", onLight, lightGrounds); light != text {
		return Accent{}, fmt.Errorf("%s is too light for text on a light page: set %s, or a darker one", text, light)
	}
	return Accent{text, toward(text, "#ffffff", onDark, darkGrounds)}, nil
}

// CSS returns the style sheet of the accent, empty for that of the program.
func (a Accent) CSS() string {
	if a.Light == "" {
		return ""
	}
	return fmt.Sprintf(":root { --accent: light-dark(%s, %s); --on-accent: light-dark(%s, %s); }\n", a.Light, a.Dark, onLight, onDark)
}

// toward mixes a color with another in steps of a hundredth, until it can be read on the grounds, and text on it.
func toward(color, end, text string, grounds []string) string {
	from, to := parse(color), parse(end)
	for step := range 101 {
		var mixed [3]float64
		for i := range mixed {
			mixed[i] = math.Round(from[i] + (to[i]-from[i])*float64(step)/100)
		}
		if out := fmt.Sprintf("#%02x%02x%02x", int(mixed[0]), int(mixed[1]), int(mixed[2])); fits(out, append([]string{text}, grounds...)) {
			return out
		}
	}
	return end
}

func fits(color string, others []string) bool {
	for _, other := range others {
		if Contrast(color, other) < readable {
			return false
		}
	}
	return true
}

// Contrast returns the contrast of two colors as #rrggbb, from 1 to 21 (WCAG 2.2).
func Contrast(a, b string) float64 {
	x, y := luminance(parse(a)), luminance(parse(b))
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(c [3]float64) float64 {
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		v := c[i] / 255
		if v <= .04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// parse reads a color that has the form #rrggbb.
func parse(color string) (c [3]float64) {
	for i := range c {
		n, _ := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8) // of that form
		c[i] = float64(n)
	}
	return c
}

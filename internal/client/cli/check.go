package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"sandlot/internal/client/client"
)

// play opens a version with the inputs of a file, and prints the observations. The file may name the version; else it is
// the current one.
func (s *session) play(ctx context.Context, file string, asJSON bool) error {
	script, err := os.ReadFile(file)
	if err == nil && !json.Valid(script) {
		err = fmt.Errorf("%s is not JSON", file)
	}
	if err != nil {
		return &Failure{
			Message: err.Error(), Exit: exitUsage,
			Notes: []string{`A file of inputs: {"inputs": [{"key": "ArrowRight", "ms": 500}, {"tap": [200, 300]}, {"wait": 1000}], "probe": ["state.score"]}`},
		}
	}
	found, err := asked(ctx, s, func() (client.Check, error) { return s.Check(ctx, s.id, script) })
	if err != nil {
		return err
	}
	return s.env.print(asJSON, found.Text, happened(found)...)
}

// happened returns the observations as pairs for print. The pictures are in the JSON alone.
func happened(c client.Check) []string {
	pairs := seenLines(c.Checked)
	if c.Frames > 0 {
		pairs = append(pairs, "frames", fmt.Sprintf("%.0f a second", c.Frames))
	}
	for _, p := range c.Probes {
		value := fmt.Sprintf("%s, then %s", p.Before, p.After)
		if p.Error != "" {
			value = p.Error
		}
		pairs = append(pairs, "probe", p.Probe+": "+value)
	}
	for _, line := range c.Console {
		pairs = append(pairs, "console", line)
	}
	for _, w := range c.Findings {
		pairs = append(pairs, "finding", w.Code+": "+w.Message)
	}
	return append([]string{"version", fmt.Sprint(c.Version)}, pairs...)
}

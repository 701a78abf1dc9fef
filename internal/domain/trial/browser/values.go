package browser

import (
	"cmp"
	"encoding/json"
	"strconv"

	"sandlot/internal/domain/trial"
)

var depthText = strconv.Itoa(trial.MostDepth)

// The errors of values that are not returned.
const (
	tooLong  = "The value is too long: probe a part of it."
	noAnswer = "The page did not answer."
)

// mostRate bounds the frames a second that are believed.
const mostRate = 1000

// played returns the observations of a script that can be accepted.
func (r report) played(s trial.Seen, probes []string) trial.Played {
	out := trial.Played{Seen: s, Before: r.Before, After: r.After}
	if r.Frames > 0 && r.Frames < mostRate {
		out.Frames = r.Frames
	}
	for _, line := range r.Lines {
		if line = plainText(line, trial.MostText); line != "" {
			out.Console = append(out.Console, line)
		}
	}
	for i, p := range probes {
		v := trial.Value{Probe: p}
		var first, second string
		v.Before, first = r.Values[i].Before.read()
		if v.After, second = r.Values[i].After.read(); second == "" && v.After == nil {
			second = first
		}
		v.Error = second
		out.Values = append(out.Values, v)
	}
	return out
}

// read returns the value of a result, or its error.
func (r result) read() (json.RawMessage, string) {
	var v any
	if r.Error != "" || len(r.JSON) == 0 {
		return nil, plainText(cmp.Or(r.Error, noAnswer), trial.MostText)
	}
	if len(r.JSON) > trial.MostValue || json.Unmarshal(r.JSON, &v) != nil {
		return nil, tooLong
	}
	out, err := json.Marshal(plainValue(v, trial.MostDepth))
	if err != nil || len(out) > trial.MostValue {
		return nil, tooLong
	}
	return out, ""
}

// plainValue returns a value whose texts may be shown, and that is not deeper than depth.
func plainValue(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return plainText(v, trial.MostText)
	case []any:
		if depth == 0 {
			return "..."
		}
		for i := range v {
			v[i] = plainValue(v[i], depth-1)
		}
	case map[string]any:
		if depth == 0 {
			return "..."
		}
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[plainText(name, trial.MostHost)] = plainValue(member, depth-1)
		}
		return out
	}
	return v
}

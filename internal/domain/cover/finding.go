package cover

import (
	"encoding/json"
	"errors"

	"sandlot/internal/format/picture"
)

// Missing is the kind of a Finding about a file that the project does not have.
const Missing picture.Kind = "missing"

// mostFindings bounds the findings of a cover: one of each source, and further files.
const mostFindings = 8

// A Finding names a picture that could not be used, and the reason.
type Finding struct {
	Source Source
	File   string
	picture.Problem
}

// Message describes in English the fault, and what the owner can do.
func (f Finding) Message() string {
	if f.Kind == Missing {
		return "The project has no such file. Add it, or name another one."
	}
	return f.Problem.Error()
}

// findingOf returns the finding in an error; ok is false if the error is not about the picture.
func findingOf(source Source, file string, err error) (f Finding, ok bool) {
	if p, ok := errors.AsType[*picture.Problem](err); ok {
		return Finding{source, file, *p}, true
	}
	return f, false
}

func findingsOf(text string) (list []Finding) {
	if text != "" {
		_ = json.Unmarshal([]byte(text), &list) // unreadable findings were written by another release
	}
	return list
}

func written(list []Finding) string {
	if len(list) == 0 {
		return ""
	}
	text, _ := json.Marshal(list[:min(len(list), mostFindings)]) // texts and numbers always encode
	return string(text)
}

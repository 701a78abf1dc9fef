package intake

import (
	"encoding/json"
	"strings"

	"sandlot"
	"sandlot/internal/domain/trial"
	"sandlot/internal/format/content"
)

// ReadCheck returns the script of a check. It refuses invalid lists and unknown members.
func ReadCheck(f *Fields) trial.Script {
	s := trial.Script{Steps: listOf[trial.Step](f, "inputs"), Probes: probesOf(f)}
	if n := f.whole("seconds"); n != nil {
		if s.Seconds = *n; *n == 0 {
			f.Fail(misread("seconds", "seconds is 0; a check takes 1 to %d", trial.MostSeconds))
		}
	}
	if n := f.whole("version"); n != nil {
		if s.Version = *n; *n <= 0 {
			f.Fail(misread("version", "version is %d; the first is 1", *n))
		}
	}
	return s
}

// probesOf returns the probes. It takes a text that is no list for a single probe.
func probesOf(f *Fields) []string {
	field, _ := f.Form.Get("probe")
	if field.Kind == content.String && !strings.HasPrefix(strings.TrimSpace(field.Text), "[") {
		return []string{field.Text}
	}
	return listOf[string](f, "probe")
}

// listOf reads a field that is a JSON list, or a text with such a list.
func listOf[T any](f *Fields, name string) (list []T) {
	field, _ := f.Form.Get(name)
	raw := field.Raw
	if field.Kind == content.String {
		raw = field.Text
	}
	if !f.has(name) {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&list) != nil || d.More() {
		f.Fail(misread(name, "%s is not a list as in the example below, or has members that are not in it", name))
	}
	return list
}

func misread(name, format string, args ...any) *sandlot.Error {
	return badField(name, format, args...).With(sandlot.OpCheck, trial.Example()...).Note("Nothing was opened. A check that works:")
}

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"sandlot/internal/client/client"
)

// A toldFailure is an error as --json tells it. Of a refusal of the API, all that it said comes before.
type toldFailure struct {
	Error   string   `json:"error,omitempty"`
	Message string   `json:"message,omitempty"`
	Hint    string   `json:"hint,omitempty"`
	Fix     []string `json:"fix"`
	Exit    int      `json:"exit_code"`
}

// FailureJSON is an error as one JSON object, for whoever gave --json; empty: nobody did, or an answer was printed before it.
func (env *Env) FailureJSON(err error, exit int) string {
	if env.printed || !env.wantsJSON() {
		return ""
	}
	out := toldFailure{Error: codeOf(err, exit), Fix: []string{}, Exit: exit}
	var f *Failure
	if errors.As(err, &f) {
		out.Message, out.Hint, out.Fix = clean(f.Message), strings.Join(cleaned(f.Notes), "\n"), append(out.Fix, f.Fix...)
	} else {
		out.of(err.Error())
	}
	var refused *client.Error
	if errors.As(err, &refused) && len(refused.Text) > 0 {
		if text := joined(refused.Text, toldFailure{Fix: out.Fix, Exit: exit}); text != "" {
			return text
		}
	}
	text, err := encoded(out)
	if err != nil {
		return ""
	}
	return text
}

// wantsJSON reports whether the command line has the flag, wherever the parser stopped.
func (env *Env) wantsJSON() bool {
	words := env.Args
	if i := slices.Index(words, "--"); i >= 0 {
		words = words[:i]
	}
	return slices.Contains(words, "--json") || slices.Contains(words, "--json=true")
}

// of takes an error's text apart, whose commands are indented.
func (t *toldFailure) of(text string) {
	for i, line := range strings.Split(text, "\n") {
		command, indented := strings.CutPrefix(line, "    ")
		switch {
		case i == 0:
			t.Message = clean(line)
		case indented:
			t.Fix = append(t.Fix, clean(command))
		default:
			t.Hint += clean(line) + "\n"
		}
	}
	t.Hint = strings.TrimSpace(t.Hint)
}

// codeOf is the code of the API, or one of those for what is no answer of it; docs/cli.md has them.
func codeOf(err error, exit int) string {
	var refused *client.Error
	errors.As(err, &refused)
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case refused != nil && refused.Code != "":
		return string(refused.Code)
	case refused != nil && refused.Location != "":
		return "redirected"
	case refused != nil, errors.Is(err, client.ErrNotAPI):
		return "not_sandlot"
	case exit == exitServer:
		return "no_answer"
	case exit == exitOther:
		return "local_failure"
	}
	return "wrong_call"
}

// joined is a JSON object with the members of another one behind its own.
func joined(object []byte, more toldFailure) string {
	begin, ok := bytes.CutSuffix(bytes.TrimSpace(object), []byte("}"))
	text, err := encoded(more)
	if !ok || err != nil || len(bytes.TrimSpace(begin)) < 2 {
		return ""
	}
	return string(bytes.TrimSpace(begin)) + "," + text[1:]
}

// encoded is JSON whose commands can be read, and pasted.
func encoded(v any) (string, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSpace(out.String()), err
}

func cleaned(lines []string) (list []string) {
	for _, line := range lines {
		list = append(list, clean(line))
	}
	return list
}

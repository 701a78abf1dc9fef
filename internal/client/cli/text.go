package cli

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"sandlot/internal/client/client"
)

// escape matches terminal commands: CSI, OSC and the two-character kinds.
var escape = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(\x07|\x1b\\\\)?|.)?")

// clean turns a server's text into one harmless line.
func clean(s string) string {
	return strings.Join(strings.Fields(Harmless(s)), " ")
}

// Harmless returns a text of several lines without characters that act in a terminal: control characters, escape
// sequences, and marks that turn the direction of the text beside them.
func Harmless(s string) string {
	s = escape.ReplaceAllString(strings.ToValidUTF8(s, "?"), "")
	return strings.Map(func(r rune) rune {
		acts := unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
		if acts && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// amount formats a size for people.
func amount(n int64) string {
	size, unit := float64(n), 0
	for ; size >= 1024 && unit < 4; unit++ {
		size /= 1024
	}
	return fmt.Sprintf("%.1f %s", size, [...]string{"B", "KiB", "MiB", "GiB", "TiB"}[unit])
}

// plural formats a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// some lists the first of many names.
func some(names []string) string {
	const most = 5
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// print writes the answer as it came, or as lines of a name and a value. Empty values have no line.
func (env *Env) print(asJSON bool, text client.Text, pairs ...string) (err error) {
	if asJSON {
		env.printed = true
		_, err = fmt.Fprintln(env.Out, strings.TrimSpace(text.JSON))
		return err
	}
	for i := 0; i+1 < len(pairs) && err == nil; i += 2 {
		if value := clean(pairs[i+1]); value != "" {
			_, err = fmt.Fprintf(env.Out, "%-12s %s\n", pairs[i], value)
		}
	}
	return err
}

// say prints a line for people about the command's progress.
func (env *Env) say(format string, args ...any) {
	env.saying.Lock()
	defer env.saying.Unlock()
	fmt.Fprintln(env.Err, Harmless(fmt.Sprintf(format, args...)))
}

// warn prints the warnings of an answer.
func (env *Env) warn(all []client.Warning) {
	for _, w := range all {
		env.say("warning: %s", clean(w.Message))
		for _, line := range notes(w.Hint) {
			env.say("         %s", line)
		}
	}
}

// aCall matches a line of a hint of the API that is a command, or part of an HTTP request.
var aCall = regexp.MustCompile(`^(curl|tar|split|set) |^(GET|POST|PATCH|DELETE) http|^(Authorization|Idempotency-Key|Content-Type): |^\{`)

// notes returns the sentences of a hint of the API, without its calls.
func notes(hint string) (sentences []string) {
	for line := range strings.Lines(hint) {
		line = clean(line)
		command := aCall.MatchString(line) || strings.HasSuffix(line, ":")
		if line == "" || command || strings.HasPrefix(line, "The rest of the body") || strings.Contains(line, "header") {
			continue
		}
		sentences = append(sentences, line)
	}
	return sentences
}

// again returns the current command, with a flag added or its value replaced.
func (env *Env) again(flag ...string) string {
	words := append([]string{"sandlot"}, env.Args...)
	if len(flag) > 0 {
		words = append(without(words, flag[0], len(flag) > 1), flag...)
	}
	return command(words...)
}

// without removes a flag from a command line, and its value if it has one.
func without(words []string, flag string, valued bool) (rest []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == flag && valued:
			i++
		case words[i] == flag, strings.HasPrefix(words[i], flag+"="):
		default:
			rest = append(rest, words[i])
		}
	}
	return rest
}

// command quotes words for a POSIX shell.
func command(words ...string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	quoted := make([]string, 0, len(words))
	for _, w := range words {
		if w = clean(w); w == "" || strings.Trim(w, plain) != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}

package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"sandlot/internal/client/client"
)

// escape finds what a terminal takes for a command: CSI, OSC and the two-character kinds.
var escape = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(\x07|\x1b\\\\)?|.)?")

// clean makes one harmless line of a text that a server sent.
func clean(s string) string {
	return strings.Join(strings.Fields(Harmless(s)), " ")
}

// Harmless is a text of several lines that cannot act in a terminal, whoever made up what is in it: no control, no escape sequence,
// nothing that turns the direction of what stands beside it.
func Harmless(s string) string {
	s = escape.ReplaceAllString(strings.ToValidUTF8(s, "?"), "")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			return -1
		}
		return r
	}, s)
}

// rows prints lines of a name and a value. Values that are empty have no line.
func rows(w io.Writer, pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := clean(pairs[i+1]); value != "" {
			fmt.Fprintf(w, "%-12s %s\n", pairs[i], value)
		}
	}
}

// amount writes a size as people read it.
func amount(n int64) string {
	const units = "KMGT"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/1024, 0
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	return fmt.Sprintf("%.1f %ciB", size, units[unit])
}

// plural writes a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// warn prints what the server wants to be known beside its answer, with the command that mends it.
func (env *Env) warn(all []client.Warning) {
	for _, w := range all {
		env.say("warning: %s", clean(w.Message))
		for _, line := range notes(w.Hint) {
			env.say("         %s", clean(line))
		}
		if command := env.mends(w); command != "" {
			env.say("    %s", command)
		}
	}
}

// notes are the sentences of a hint of the API. Its calls of curl are for others.
func notes(hint string) (sentences []string) {
	for line := range strings.Lines(hint) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "curl ") || strings.HasPrefix(line, "tar ") || strings.HasPrefix(line, "The rest of the body") || strings.HasSuffix(line, ":") || strings.Contains(line, "header") {
			continue
		}
		sentences = append(sentences, line)
	}
	return sentences
}

// say prints a line about what is being done, for people.
func (env *Env) say(format string, args ...any) {
	env.saying.Lock()
	defer env.saying.Unlock()
	fmt.Fprintln(env.Err, Harmless(fmt.Sprintf(format, args...)))
}

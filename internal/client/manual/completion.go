// Package manual writes the files about a command line that other programs read: scripts with which shells complete it, and its page
// for man.
package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Complete writes the script with which bash, zsh or fish completes a command line. Where it has no completions, the
// shell offers files. That for zsh can be sourced, or lie as _sandlot in a folder of zsh's functions.
func Complete(w io.Writer, root *kong.Node, shell string) error {
	if shell == "fish" {
		return completeFish(w, root)
	}
	script := fmt.Sprintf(completeBash, strings.Join(completions(root, ""), "\n"))
	if shell == "zsh" {
		script = zshBegin + script + zshEnd
	}
	_, err := io.WriteString(w, script)
	return err
}

// zsh runs the script of bash. A file of its functions is run by the first Tab, which it has to answer as well.
const (
	zshBegin = "#compdef sandlot\nautoload -U +X bashcompinit && bashcompinit\n"
	zshEnd   = "[ \"${funcstack[1]:-}\" != _sandlot ] || _bash_complete -o default -F _sandlot\n"
)

// completeBash finds the longest command that the words begin with, and offers its words.
const completeBash = `_sandlot() {
  local word cmd="" words
  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$word" in -*) ;; *) cmd="$cmd $word" ;; esac
  done
  while :; do
    case "${cmd# }" in
%s
    *) cmd="${cmd%% *}"; continue ;;
    esac
    break
  done
  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sandlot sandlot
`

// completions returns the lines of a case, one for each command: its own commands and its flags.
func completions(n *kong.Node, path string) (lines []string) {
	words := append(commandNames(n), flagNames(n)...)
	lines = append(lines, fmt.Sprintf("    %q) words=%q ;;", path, strings.Join(words, " ")))
	for _, c := range CommandsOf(n) {
		lines = append(lines, completions(c, strings.TrimSpace(path+" "+c.Name))...)
	}
	return lines
}

// CommandsOf returns the visible commands below one.
func CommandsOf(n *kong.Node) (below []*kong.Node) {
	for _, c := range n.Children {
		if !c.Hidden && c.Type == kong.CommandNode {
			below = append(below, c)
		}
	}
	return below
}

func commandNames(n *kong.Node) (all []string) {
	for _, c := range CommandsOf(n) {
		all = append(all, c.Name)
	}
	return all
}

func flagNames(n *kong.Node) (all []string) {
	for _, f := range n.Flags {
		if !f.Hidden {
			all = append(all, "--"+f.Name)
		}
	}
	return all
}

// completeFish prints a line for each command and each flag, with its help.
func completeFish(w io.Writer, root *kong.Node) error {
	var out strings.Builder
	for _, c := range CommandsOf(root) {
		fmt.Fprintf(&out, "complete -c sandlot -n __fish_use_subcommand -a %s -d %s\n", c.Name, fishQuoted(c.Help))
		fishBelow(&out, c, "__fish_seen_subcommand_from "+c.Name)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func fishBelow(out *strings.Builder, n *kong.Node, when string) {
	for _, f := range n.Flags {
		fmt.Fprintf(out, "complete -c sandlot -n '%s' -l %s -d %s\n", when, f.Name, fishQuoted(f.Help))
	}
	for _, c := range CommandsOf(n) {
		fmt.Fprintf(out, "complete -c sandlot -n '%s' -a %s -d %s\n", when, c.Name, fishQuoted(c.Help))
		fishBelow(out, c, when+"; and __fish_seen_subcommand_from "+c.Name)
	}
}

func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

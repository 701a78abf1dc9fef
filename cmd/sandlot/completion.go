package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a script for a shell, made from the command line itself. Where it has no completions, the shell offers
// files. That for zsh can be sourced, or lie as _sandlot in a folder of zsh's functions.
func (c *completionCommand) Run(t *terminal, app *kong.Application) error {
	if c.Shell == "fish" {
		return completeFish(t.out, app.Node)
	}
	script := fmt.Sprintf(completeBash, strings.Join(completions(app.Node, ""), "\n"))
	if c.Shell == "zsh" {
		script = zshBegin + script + zshEnd
	}
	_, err := io.WriteString(t.out, script)
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
	for _, c := range commandsOf(n) {
		lines = append(lines, completions(c, strings.TrimSpace(path+" "+c.Name))...)
	}
	return lines
}

// commandsOf returns the visible commands below one.
func commandsOf(n *kong.Node) (below []*kong.Node) {
	for _, c := range n.Children {
		if !c.Hidden && c.Type == kong.CommandNode {
			below = append(below, c)
		}
	}
	return below
}

func commandNames(n *kong.Node) (all []string) {
	for _, c := range commandsOf(n) {
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
	for _, c := range commandsOf(root) {
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
	for _, c := range commandsOf(n) {
		fmt.Fprintf(out, "complete -c sandlot -n '%s' -a %s -d %s\n", when, c.Name, fishQuoted(c.Help))
		fishBelow(out, c, when+"; and __fish_seen_subcommand_from "+c.Name)
	}
}

func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"sandlot/internal/client/cli"
	"sandlot/internal/transport/intake/hint"
)

// otherCommands are words that people try in place of a command's own. It never changes.
var otherCommands = map[string]string{
	"deploy": "publish", "push": "publish", "upload": "publish", "create": "publish", "new": "publish", "send": "publish", "add": "update", "put": "update", "edit": "update", "sync": "publish",
	"delete": "rm", "remove": "rm", "del": "rm", "show": "status", "info": "status", "diff": "status", "files": "status", "ls": "whoami", "list": "whoami", "projects": "whoami", "me": "whoami",
	"account": "whoami", "history": "versions", "log": "versions", "rollback": "restore", "revert": "restore", "undo": "restore", "auth": "login", "signin": "login", "download": "export",
	"view": "open", "browse": "open", "start": "serve", "run": "serve", "server": "serve", "plays": "stats", "help": "--help",
}

// mended adds to the error of a command line the one that was probably meant. It is one that the parser takes, or the one that explains the command.
func mended(parser *kong.Kong, args []string, err error) error {
	if slices.ContainsFunc(args, func(s string) bool { return s == "--help" || s == "-h" }) {
		return err
	}
	words, command := commandOf(parser, args)
	help := []string{"--help"}
	if command != nil && command.Group != nil && command.Group.Key == serverGroup {
		return err // what is wrong may as well be a setting, and that is told whole
	}
	if command != nil {
		help = []string{command.Name, "--help"}
		words = completed(command, ownFlags(command, words), err)
	}
	for _, try := range [][]string{words, plainNumbers(words)} {
		if command != nil && !slices.Equal(try, args) && parses(parser, try) {
			return fmt.Errorf("%w\n    %s", err, typed(try))
		}
	}
	return fmt.Errorf("%w\n    %s", err, typed(help))
}

func typed(words []string) string {
	line := "sandlot"
	for _, w := range words {
		line += " " + hint.Quote(w)
	}
	return line
}

// parses reports whether a command line is one. What is to be filled in counts as a number, which is a text, too.
func parses(parser *kong.Kong, words []string) bool {
	filled := slices.Clone(words)
	for i, w := range filled {
		if strings.HasPrefix(w, "<") && strings.HasSuffix(w, ">") {
			filled[i] = "1"
		}
	}
	_, err := parser.Parse(filled)
	return err == nil
}

// commandOf finds the command that is named, or was probably meant, and puts it before its flags.
func commandOf(parser *kong.Kong, args []string) ([]string, *kong.Node) {
	var names []string
	for _, node := range parser.Model.Children {
		names = append(names, node.Name)
	}
	at := slices.IndexFunc(args, func(w string) bool { return slices.Contains(names, w) })
	name := ""
	if at >= 0 {
		name = args[at]
	} else if at = slices.IndexFunc(args, func(w string) bool { return !strings.HasPrefix(w, "-") }); at >= 0 {
		if name = otherCommands[strings.ToLower(args[at])]; name == "" {
			name = cli.Nearest(args[at], names)
		}
	}
	i := slices.Index(names, name)
	if i < 0 {
		return args, nil
	}
	return slices.Concat([]string{name}, args[at+1:], args[:at]), parser.Model.Children[i]
}

// ownFlags puts the flags of a command in place of those that it does not have.
func ownFlags(command *kong.Node, words []string) (list []string) {
	var names []string
	for _, group := range command.AllFlags(true) {
		for _, flag := range group {
			names = append(names, flag.Name)
		}
	}
	for _, w := range words {
		name, value, valued := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		if near := cli.Nearest(name, names); strings.HasPrefix(w, "--") && !slices.Contains(names, name) && near != "" {
			if w = "--" + near; valued {
				w += "=" + value
			}
		}
		list = append(list, w)
	}
	return list
}

// completed adds what a command line lacks, to be filled in: the value of its last flag, or what stands for the command's arguments.
func completed(command *kong.Node, words []string, err error) []string {
	text := err.Error()
	if strings.Contains(text, `got "EOL"`) {
		return append(words, "<value>")
	}
	for _, arg := range command.Positional {
		if strings.Contains(text, "expected \"<"+arg.Name+">") {
			return slices.Insert(words, 1, "<"+arg.Name+">")
		}
	}
	return words
}

// plainNumbers writes versions as the number alone.
func plainNumbers(words []string) (list []string) {
	for _, w := range words {
		if rest := strings.TrimLeft(w, "vV#"); rest != "" && strings.Trim(rest, "0123456789") == "" {
			w = rest
		}
		list = append(list, w)
	}
	return list
}

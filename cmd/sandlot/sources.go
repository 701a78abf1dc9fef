package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// environment holds the variables that begin with SANDLOT_.
type environment map[string]string

const envPrefix = "SANDLOT_"

func newEnvironment(vars []string) environment {
	env := environment{}
	for _, v := range vars {
		// An empty variable is how many tools unset one.
		if name, value, _ := strings.Cut(v, "="); value != "" && strings.HasPrefix(name, envPrefix) {
			env[name] = value
		}
	}
	return env
}

// variable is the name of a flag's variable.
func variable(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// lookup finds a flag's value; that of a secret may lie in a file.
func (env environment) lookup(f *kong.Flag) (any, error) {
	name := variable(f.Name)
	if value, ok := env[name]; ok {
		return value, nil
	}
	if path, ok := env[name+"_FILE"]; ok && f.Tag.Has("secret") {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s_FILE: %w", name, err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	return nil, nil
}

// file is what a configuration file says, a line for each flag.
type file map[string]string

func readFile(path string) (file, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	var lines map[string]any
	if err := yaml.Unmarshal(text, &lines); err != nil {
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	f := file{}
	for name, value := range lines {
		switch value.(type) {
		case string, int, bool, uint64, int64:
			f[name] = fmt.Sprint(value)
		default:
			return nil, fmt.Errorf("configuration file %s: the value of %q is not one line of text", path, name)
		}
	}
	return f, nil
}

// resolver makes a source of values for the parser.
type resolver struct {
	known func(app *kong.Application) error
	find  func(f *kong.Flag) (any, error)
}

func (r resolver) Validate(app *kong.Application) error { return r.known(app) }

func (r resolver) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) { return r.find(f) }

// settingsSources are the file and the environment, weakest first: the parser
// takes the last that has a value, and a flag before all.
func settingsSources(args []string, env environment) ([]kong.Resolver, error) {
	var lines file
	if path := configPath(args, env); path != "" {
		var err error
		if lines, err = readFile(path); err != nil {
			return nil, err
		}
	}
	fromFile := func(f *kong.Flag) (any, error) {
		if v, ok := lines[f.Name]; ok && f.Name != "config" {
			return v, nil
		}
		return nil, nil
	}
	return []kong.Resolver{
		resolver{lines.onlyFlags, fromFile},
		resolver{env.onlyFlags, env.lookup},
	}, nil
}

// configPath looks for --config before the parser runs, since the parser needs
// what is in the file.
func configPath(args []string, env environment) string {
	for i, a := range args {
		if path, ok := strings.CutPrefix(a, "--config="); ok {
			return path
		}
		if a == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return env[envPrefix+"CONFIG"]
}

// flagNames are the names of all flags of all commands.
func flagNames(app *kong.Application) []string {
	var names []string
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			names = append(names, f.Name)
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(app.Node)
	return names
}

// onlyFlags refuses a line that no flag stands behind: it would be ignored.
func (f file) onlyFlags(app *kong.Application) error {
	names := flagNames(app)
	for name := range f {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the configuration file has an unknown setting %q", name)
		}
	}
	return nil
}

// onlyFlags refuses a variable that no flag stands behind.
func (env environment) onlyFlags(app *kong.Application) error {
	known := map[string]bool{}
	for _, name := range flagNames(app) {
		known[variable(name)] = true
		known[variable(name)+"_FILE"] = true
	}
	var unknown []error
	for name := range env {
		if !known[name] && !foreign(name) {
			unknown = append(unknown, fmt.Errorf("the environment has an unknown setting %s", name))
		}
	}
	return errors.Join(unknown...)
}

// foreign reports whether a variable is not meant as a setting: Kubernetes sets
// some for every service of its namespace, and the tests have their own.
func foreign(name string) bool {
	rest := strings.TrimPrefix(name, envPrefix)
	return rest == "PORT" || strings.HasPrefix(rest, "PORT_") || strings.HasPrefix(rest, "SERVICE_") ||
		rest == "BIN" || strings.HasPrefix(rest, "TEST_")
}

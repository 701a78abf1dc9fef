package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"sandlot/internal/client/cli"
)

// environment holds the variables that begin with SANDLOT_.
type environment map[string]string

const envPrefix = "SANDLOT_"

func newEnvironment(vars []string) environment {
	env := environment{}
	for _, v := range vars {
		// Many tools unset a variable by making it empty.
		if name, value, _ := strings.Cut(v, "="); value != "" && strings.HasPrefix(name, envPrefix) {
			env[name] = value
		}
	}
	return env
}

// variable returns the name of a flag's variable.
func variable(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// lookup returns a flag's value; a secret's value may be in a file.
func (env environment) lookup(f *kong.Flag) (value any, from string, err error) {
	name := variable(f.Name)
	text, ok := env[name]
	path, inFile := env[name+fileSuffix]
	inFile = inFile && f.Tag.Has("secret")
	switch {
	case ok && inFile:
		return nil, "", fmt.Errorf("%s and %s%s are both set: unset one", name, name, fileSuffix)
	case ok:
		return text, name, nil
	case !inFile:
		return nil, "", nil
	}
	if text, err = readSecret(path, "unset the variable"); err != nil {
		return nil, "", fmt.Errorf("%s%s: %w", name, fileSuffix, err)
	}
	return text, name + fileSuffix, nil
}

// readSecret returns the text of a file without the blanks around it. It is an error if nothing is left; the error names
// the other way.
func readSecret(path, otherwise string) (string, error) {
	secret, err := readBounded(path, secretMax)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(secret), "\ufeff"))
	if text == "" {
		return "", fmt.Errorf("%s is empty: write the secret into it, or %s", path, otherwise)
	}
	return text, nil
}

// fileSuffix ends the name of a variable that names the file of a secret.
const fileSuffix = "_FILE"

// The largest sizes of a secret and of a configuration file, in bytes.
const (
	secretMax = 64 << 10
	fileMax   = 1 << 20
)

// A file is a configuration file with a line for each flag.
type file struct {
	path  string
	lines map[string]yaml.Node
}

// errFile reports a text that is not such a file. YAML's own error would quote it, and it may contain a secret.
var errFile = errors.New("is not lines of NAME: VALUE")

func readFile(path string) (file, error) {
	f := file{path: path}
	text, err := readBounded(path, fileMax)
	if err != nil {
		return f, fmt.Errorf("configuration file: %w", err)
	}
	var all, more yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	switch err := documents.Decode(&all); {
	case errors.Is(err, io.EOF):
		return f, nil // only comments
	case err != nil || all.Content[0].Kind != yaml.MappingNode && all.Content[0].Tag != "!!null":
		return f, fmt.Errorf("configuration file %s %w", path, errFile)
	}
	if !errors.Is(documents.Decode(&more), io.EOF) {
		return f, fmt.Errorf("configuration file %s %w: what stands behind --- would be ignored", path, errFile)
	}
	if err := all.Decode(&f.lines); err != nil {
		return f, fmt.Errorf("configuration file %s %w, each once: %w", path, errFile, err)
	}
	return f, nil
}

// origins maps flags to the sources of their values outside the command line.
type origins map[string]string

// A resolver is a source of values for the parser.
type resolver struct {
	known func(app *kong.Application) error
	find  func(f *kong.Flag) (value any, from string, err error)
	from  origins
}

func (r resolver) Validate(app *kong.Application) error { return r.known(app) }

func (r resolver) Resolve(_ *kong.Context, parent *kong.Path, f *kong.Flag) (any, error) {
	if ofClient(parent.Node()) || f.Name == "limit" && f.Target.Kind() == reflect.Int {
		return nil, nil // it reads its own variables; the limit of a list is no setting
	}
	value, from, err := r.find(f)
	if value != nil {
		r.from[f.Name] = from
	}
	return value, err
}

// credentials is the folder in which systemd puts the secrets of a service (LoadCredential), or empty.
type credentials string

// credentialsPrefix begins the name of a credential, before the name of the setting. systemd gives it to the files of a
// folder that is loaded as "sandlot".
const credentialsPrefix = "sandlot_"

// lookup returns the value of a secret from its file in the folder.
func (c credentials) lookup(f *kong.Flag) (value any, from string, err error) {
	path := filepath.Join(string(c), credentialsPrefix+f.Name)
	if c == "" || !f.Tag.Has("secret") {
		return nil, "", nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	text, err := readSecret(path, "remove it")
	if err != nil {
		return nil, "", fmt.Errorf("credential %w", err)
	}
	return text, path, nil
}

// settingsSources returns the file, the credentials and the environment, weakest first: the parser takes the last that
// has a value, and a flag before all.
func settingsSources(args []string, env environment, secrets credentials, from origins) ([]kong.Resolver, error) {
	var settings file
	if path, ok := configPath(args, env); ok {
		var err error
		if settings, err = readFile(path); err != nil {
			return nil, err
		}
	}
	return []kong.Resolver{
		resolver{settings.onlyFlags, settings.lookup, from},
		resolver{func(*kong.Application) error { return nil }, secrets.lookup, from},
		resolver{env.onlyFlags, env.lookup, from},
	}, nil
}

func (f file) lookup(flag *kong.Flag) (value any, from string, err error) {
	if v, ok := f.lines[flag.Name]; ok {
		return v.Value, f.path, nil // as written: YAML's own idea of a number does not matter
	}
	return nil, "", nil
}

// configPath finds --config before the parser runs, since the parser needs the content of the file. As with other flags
// the last one counts.
func configPath(args []string, env environment) (path string, ok bool) {
	path, ok = env[variable("config")]
	for i, a := range args {
		if a == "--" {
			break
		}
		if p, found := strings.CutPrefix(a, "--config="); found {
			path, ok = p, true
		}
		if a == "--config" && i+1 < len(args) {
			path, ok = args[i+1], true
		}
	}
	return path, ok
}

// ofClient reports whether a command is for clients; its flags are not settings of a server.
func ofClient(n *kong.Node) bool { return n.Group != nil && n.Group.Key == clientGroup }

// knownFlags returns all flags that are settings of a server, by name.
func knownFlags(app *kong.Application) map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			flags[f.Name] = f
		}
		for _, c := range n.Children {
			if !ofClient(c) {
				walk(c)
			}
		}
	}
	walk(app.Node)
	delete(flags, "help")
	return flags
}

// onlyFlags refuses a line without a flag, for it would be ignored, and one without exactly one value.
func (f file) onlyFlags(app *kong.Application) error {
	flags := knownFlags(app)
	delete(flags, "config")
	for _, name := range slices.Sorted(maps.Keys(f.lines)) {
		if flags[name] == nil {
			return fmt.Errorf("configuration file %s: unknown setting %q; sandlot serve --help lists all", f.path, name)
		}
		if value := f.lines[name]; value.Kind != yaml.ScalarNode || value.Tag == "!!null" {
			return fmt.Errorf("configuration file %s: %s has no value, or more than one: write %s: VALUE", f.path, name, name)
		}
	}
	return nil
}

// onlyFlags refuses a variable without a flag.
func (env environment) onlyFlags(app *kong.Application) error {
	known := map[string]bool{}
	for name, flag := range knownFlags(app) {
		known[variable(name)] = true
		known[variable(name)+fileSuffix] = flag.Tag.Has("secret")
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		flag := strings.TrimSuffix(name, fileSuffix)
		switch {
		case known[name] || foreign(name):
		case known[flag]:
			return fmt.Errorf("environment variable %s: only a secret can lie in a file; set %s", name, flag)
		default:
			return fmt.Errorf("environment variable %s is no setting, unset it; sandlot serve --help lists all, and clients read %s",
				name, strings.Join(cli.Variables(), " and "))
		}
	}
	return nil
}

// foreign reports whether a variable is not a setting of a server: clients have theirs, Kubernetes sets some for every
// service of its namespace, and the tests have their own.
func foreign(name string) bool {
	rest := strings.TrimPrefix(name, envPrefix)
	begins := func(prefix string) bool { return strings.HasPrefix(rest, prefix) }
	return slices.Contains(append(cli.Variables(), envPrefix+"PORT", envPrefix+"BIN"), name) ||
		begins("PORT_") || begins("SERVICE_") || begins("TEST_")
}

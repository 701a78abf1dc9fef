// Command sandlot publishes small web projects, each at an address of its own,
// and keeps them alive.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"sandlot"
	"sandlot/internal/client/cli"
	"sandlot/internal/format/inspect"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup keeps the process running
		ends = append(ends, syscall.SIGHUP)
	}
	collectLess(os.Getenv("GOGC"))
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandlot: "+cli.Harmless(inspect.Redact(err.Error())))
		os.Exit(exitCode(err))
	}
}

// commands is the command line: the clients' commands, and those for operators of a server. Every flag of the latter is
// also a variable SANDLOT_<FLAG> and a line of the configuration file.
type commands struct {
	ConfigFile string `name:"config" placeholder:"FILE" help:"YAML file with settings of the server, one line per flag. (default: none)"`

	cli.Commands   `embed:"" group:"clients"`
	MCP            mcpCommand `cmd:"" name:"mcp" group:"clients" help:"Give an agent the tools of a server, over standard input and output."`
	serverCommands `embed:"" group:"server"`
}

// The groups of commands; those of admin are in newParser.
const (
	clientGroup = "clients"
	serverGroup = "server"
)

// serverCommands holds the commands for operators of a server.
type serverCommands struct {
	Serve          serveCommand          `cmd:"" help:"Run the service."`
	Try            tryCommand            `cmd:"" help:"Start the service, publish FILE (or an example game), and print its URL."`
	Admin          adminCommand          `cmd:"" help:"Manage accounts and projects, even while the service runs."`
	Verify         verifyCommand         `cmd:"" help:"Check all stored data against its hashes and counts, even while the service runs."`
	Backup         backupCommand         `cmd:"" help:"Back up everything to a new folder, even while the service runs."`
	Doctor         doctorCommand         `cmd:"" help:"Check names, certificates, the proxy, mail and stores of the running service, and say how to mend them."`
	Rehearse       rehearseCommand       `cmd:"" help:"Start the service on a copy of a backup, and read projects from it."`
	Move           moveCommand           `cmd:"" help:"Move everything to another folder, database or bucket while the service is stopped."`
	Config         configCommand         `cmd:"" help:"Inspect the configuration."`
	Health         healthCommand         `cmd:"" help:"Report whether the service that runs here is ready, by the exit code too."`
	PlaytestWorker playtestWorkerCommand `cmd:"" hidden:"" help:"Open a project for the play-tester."`

	Version versionCommand `cmd:"" help:"Print the version."`

	Completion completionCommand `cmd:"" help:"Print a script that completes commands and flags in a shell."`
	Man        manCommand        `cmd:"" hidden:"" help:"Print the manual page."`
}

// A terminal holds the outputs of a command, and the sources of its settings.
type terminal struct {
	out, err io.Writer
	env      environment
	from     origins
	all      []string // the whole environment
}

// lookup returns a variable that is not a setting.
func (t *terminal) lookup(name string) (string, bool) {
	for _, v := range t.all {
		if n, value, _ := strings.Cut(v, "="); n == name {
			return value, true
		}
	}
	return "", false
}

// A usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errNotSet reports a setting without a value.
var errNotSet = errors.New("not set")

// exitCode follows the usual convention: 2 for a wrong call, 4 for a missing thing, 1 for any other failure. The codes
// of the clients' commands distinguish more kinds.
func exitCode(err error) int {
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return 2
	case errors.Is(err, sandlot.ErrNotFound), errors.Is(err, errNotSet):
		return 4
	}
	code, _ := cli.ExitCode(err)
	return code
}

// exitNow is the parser's request to stop after --help.
type exitNow struct{ code int }

// run runs the program, without the process around it.
func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) error {
	parser, err := newParser()
	if err != nil {
		return err
	}
	return runOn(ctx, *parser, args, env, stdout, stderr)
}

// runOn runs the program on a copy of a parser, which serves one run after another.
func runOn(ctx context.Context, parser kong.Kong, args, env []string, stdout, stderr io.Writer) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exitNow:
			if e.code != 0 {
				err = usageError{fmt.Errorf("exit %d", e.code)}
			}
		default:
			panic(e) // a fault of the program must not look like success
		}
	}()
	t := &terminal{out: stdout, err: stderr, env: newEnvironment(env), from: origins{}, all: env}
	client := cli.NewEnv(args, stdout, stderr, t.lookup)
	defer func() { printFailure(&parser, client, err) }()
	if slices.ContainsFunc(args, inspect.HoldsKey) {
		return usageError{errors.New("a key was given as an argument, where everybody on this machine can see it: replace it at " +
			"/account/keys of its server, and give the new one to this command on standard input:\n    sandlot login --with-key")}
	}
	folder, _ := t.lookup("CREDENTIALS_DIRECTORY")
	sources, err := settingsSources(args, t.env, credentials(folder), t.from)
	if err != nil {
		return usageError{err}
	}
	parser.Stdout, parser.Stderr, parser.Exit = stdout, stderr, func(code int) { panic(exitNow{code}) }
	for _, option := range []kong.Option{
		kong.Resolvers(sources...), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(t), kong.Bind(parser.Model), kong.Bind(client),
	} {
		if err := option.Apply(&parser); err != nil {
			return err
		}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return usageError{withHelp(&parser, args, err)}
	}
	return parsed.Run()
}

// printFailure prints the error of a client's command as JSON, if its flags request that.
func printFailure(parser *kong.Kong, client *cli.Env, err error) {
	if err == nil {
		return
	}
	if command := commandOf(parser, client.Args); command != nil && command.Group.Key == clientGroup {
		if text := client.FailureJSON(err, exitCode(err)); text != "" {
			fmt.Fprintln(client.Out, inspect.Redact(text))
		}
	}
}

// withHelp adds to the error of a command line the call that explains the command. For a server's command the fault may
// also be in a setting, which its error names in full.
func withHelp(parser *kong.Kong, args []string, err error) error {
	command := commandOf(parser, args)
	switch {
	case command == nil:
		return fmt.Errorf("%w\n    sandlot --help", err)
	case command.Group.Key == clientGroup:
		return fmt.Errorf("%w\n    sandlot %s --help", err, command.Name)
	}
	return err
}

// commandOf returns the command at the beginning of a command line, or nil.
func commandOf(parser *kong.Kong, args []string) *kong.Node {
	i := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return len(args) > 0 && n.Name == args[0] && n.Group != nil })
	if i < 0 {
		return nil
	}
	return parser.Model.Children[i]
}

// newParser returns the parser of the command line.
func newParser() (*kong.Kong, error) {
	parser, err := kong.New(&commands{}, kong.Name("sandlot"), kong.UsageOnError(),
		kong.Description("Host small web games and projects, each at its own URL."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.ExplicitGroups([]kong.Group{
			{Key: clientGroup, Title: "Publish, on any server:"},
			{Key: serverGroup, Title: "Run a server:"},
			{Key: "projects", Title: "Accounts and projects:"},
			{Key: "desk", Title: "Reports and decisions:"},
			{Key: "lists", Title: "Blocks and lists:"},
			{Key: "house", Title: "This instance:"},
		}))
	if err != nil {
		return nil, fmt.Errorf("command line: %w", err)
	}
	nameDefaults(parser.Model.Node)
	return parser, nil
}

// nameDefaults adds the possible and the default values of flags to their help.
func nameDefaults(n *kong.Node) {
	for _, f := range n.Flags {
		if f.Enum != "" {
			help, at, _ := strings.Cut(f.Help, " (default: ")
			f.Help = help + " One of " + f.Enum + "."
			if at != "" {
				f.Help += " (default: " + at
			}
		}
		if f.HasDefault {
			f.Help += " (default: " + f.Default + ")"
		}
	}
	for _, c := range n.Children {
		nameDefaults(c)
	}
}

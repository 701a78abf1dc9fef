package main

import (
	"github.com/alecthomas/kong"

	"sandlot/internal/client/manual"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a script for a shell.
func (c *completionCommand) Run(t *terminal, app *kong.Application) error {
	return manual.Complete(t.out, app.Node, c.Shell)
}

type manCommand struct{}

// Run prints the manual page.
func (manCommand) Run(t *terminal, app *kong.Application) error {
	return manual.Write(t.out, app, aboutSettings, "serve")
}

const aboutSettings = "Every flag of the commands that run a server is also a variable and a line of a YAML file: --base-url, " +
	"SANDLOT_BASE_URL, base-url. A flag wins over a variable, a variable over the file of --config FILE. A secret can be in a file " +
	"of its own: SANDLOT_SMTP_URL_FILE=FILE. sandlot config check prints the settings in force and their sources."

package main

import (
	"context"

	"sandlot"
	"sandlot/internal/client/cli"
	"sandlot/internal/transport/mcp"
)

// mcpCommand serves the tools of a server over standard input and output, to a program that starts this one.
type mcpCommand struct {
	Server string `placeholder:"URL" help:"Server, by its URL. (default: SANDLOT_SERVER, then .sandlot/project.json)"`
}

// Run serves until standard input ends.
func (c *mcpCommand) Run(ctx context.Context, env *cli.Env) error {
	relay, err := env.Relay(c.Server)
	if err != nil {
		return err
	}
	places := sandlot.Places{Base: relay.Server()}
	return mcp.New(mcp.Config{API: relay, Places: places, Version: thisBuild().Version}).Talk(ctx, env.In, env.Out)
}

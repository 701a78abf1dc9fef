package cli

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"sandlot/internal/client/client"
)

type statsCommand struct{ target }

// Run prints a project's numbers, and to its owner a summary of boards, errors and messages. All texts of players are
// strangers' text.
func (c *statsCommand) Run(ctx context.Context, env *Env) error {
	s, err := c.here(env)
	if err != nil {
		return err
	}
	if s.id == "" {
		_, err := s.project(ctx) // reports that no project is named
		return err
	}
	n, err := asked(ctx, s, func() (client.Stats, error) { return s.Stats(ctx, s.id) })
	if err != nil {
		return err
	}
	plays, likes := strconv.FormatInt(n.Plays, 10), strconv.FormatInt(n.Likes, 10)
	pairs := []string{"playing", strconv.Itoa(n.PlayerCount), "plays", plays, "likes", likes}
	if !c.JSON && s.asOwner().Key != "" {
		pairs = append(pairs, playersLeft(ctx, s)...)
	}
	return env.print(c.JSON, n.Text, pairs...)
}

type openPageCommand struct{ target }

// Run prints the URL, and opens it in a browser.
func (c *openPageCommand) Run(ctx context.Context, env *Env) error {
	_, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	// Of the server's answer only a web address is passed to another program.
	if u, err := url.Parse(p.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the server sent %q, which is no web address", clean(p.URL))
	}
	if c.JSON {
		err = env.print(true, p.Text)
	} else {
		_, err = fmt.Fprintln(env.Out, clean(p.URL))
	}
	if err != nil {
		return err
	}
	if err := env.Browse(ctx, p.URL); err != nil {
		env.say("it could not be opened here: %v", err)
	}
	return nil
}

// browseWait is the time limit for the program that opens an address.
const browseWait = 15 * time.Second

// browse opens an address with the system's program for it, without a shell.
func browse(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, browseWait)
	defer cancel()
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	return exec.CommandContext(ctx, name, address).Run()
}

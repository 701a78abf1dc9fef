package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"sandlot/internal/client/client"
)

type statsCommand struct {
	target
	Watch bool          `help:"Print a line whenever a number moves, until it is interrupted. (default: once)"`
	Every time.Duration `default:"5s" placeholder:"TIME" help:"How often --watch asks, at least every second. (default: ${default})"`
}

// Run shows a project's numbers.
func (c *statsCommand) Run(ctx context.Context, env *Env) error {
	s, err := c.here(env)
	if err != nil {
		return err
	}
	if s.id == "" {
		_, err := s.project(ctx)
		return err
	}
	var last client.Stats
	for first := true; ; first = false {
		now, err := s.stats(ctx)
		if c.Watch && ended(ctx) {
			return nil
		}
		if err != nil {
			return err
		}
		if first || now.PlayerCount != last.PlayerCount || now.Plays != last.Plays || now.Likes != last.Likes {
			if err := c.show(env, now); err != nil {
				return err
			}
			env.printed = env.printed && !c.Watch // each line stands for itself, also the error that may end them
		}
		if last = now; !c.Watch || env.Wait(ctx, max(c.Every, time.Second)) != nil {
			return nil
		}
	}
}

func (c *statsCommand) show(env *Env, n client.Stats) error {
	if c.JSON {
		return env.print(true, n.Text)
	}
	if c.Watch {
		_, err := fmt.Fprintf(env.Out, "%s  %d playing  %d plays  %d likes\n", n.AsOf.Local().Format(time.TimeOnly), n.PlayerCount, n.Plays, n.Likes)
		return err
	}
	return env.print(false, n.Text, "playing", strconv.Itoa(n.PlayerCount), "plays", strconv.FormatInt(n.Plays, 10), "likes", strconv.FormatInt(n.Likes, 10))
}

func (s *session) stats(ctx context.Context) (n client.Stats, err error) {
	err = s.call(ctx, func() (err error) { n, err = s.Stats(ctx, s.id); return err })
	return n, s.explain(ctx, err)
}

type openPageCommand struct {
	target
	Page bool `help:"Open the project's page, with its likes and its QR code. (default: the project itself)"`
}

// Run prints the URL, and opens it.
func (c *openPageCommand) Run(ctx context.Context, env *Env) error {
	_, p, err := c.project(ctx, env)
	if err != nil {
		return err
	}
	address := p.URL
	if c.Page {
		address = p.PageURL
	}
	// Of the server's answer nothing but a web address is handed to another program.
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the server tells %q, which is no web address", clean(address))
	}
	if c.JSON {
		err = env.print(true, p.Text)
	} else {
		_, err = fmt.Fprintln(env.Out, clean(address))
	}
	if err != nil {
		return err
	}
	if err := env.Browse(ctx, address); err != nil {
		env.say("it could not be opened here: %v", err)
	}
	return nil
}

// browseWait bounds what a program for opening addresses takes to hand one on.
const browseWait = 15 * time.Second

// browse opens an address with the system's own program for that: no shell reads it.
func browse(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, browseWait)
	defer cancel()
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	err := exec.CommandContext(ctx, name, args...).Run()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("there is no %s", name)
	}
	return err
}

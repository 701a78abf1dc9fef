package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"sandlot"
	"sandlot/examples"
	"sandlot/internal/client/client"
)

type tryCommand struct {
	File string `arg:"" optional:"" placeholder:"FILE" help:"HTML file to publish (default: an example game)."`
	settings
}

// tryLimit is the longest duration of both calls together: a file at the limit takes seconds.
const tryLimit = 5 * time.Minute

// Run serves, publishes one file as an agent would, and goes on serving.
func (c *tryCommand) Run(ctx context.Context, t *terminal) error {
	if c.endsTLS() {
		return usageError{errors.New("try publishes over plain http: use sandlot serve --tls " + c.TLS)}
	}
	f, err := c.open()
	if err != nil {
		return usageError{err}
	}
	defer f.Close()
	name := "The example"
	if c.File != "" {
		name = filepath.Base(c.File)
	}
	log := newLogger(t.err, c.LogFormat, c.LogLevel)
	return c.serve(ctx, log, func(ctx context.Context, p sandlot.Places, addr string) error {
		got, err := publishFile(ctx, addr, f)
		if err != nil {
			return fmt.Errorf("publish %s: %w", name, err)
		}
		_, err = fmt.Fprintf(t.out, published,
			name, got.URL, got.PathURL, got.PageURL, p.Base, got.APIKey, got.ProjectAPIKey, got.ProjectID)
		return err
	})
}

// published is the text for a newcomer.
const published = `
  %s is published.

    open             %s
    or, if that name doesn't resolve,
                     %s
    its page         %s
    the gallery      %[5]s/

    api_key          %[6]s
    project_api_key  %[7]s

  Update it; the URL stays the same:

    curl -F content=@index.html -F filename=index.html \
      -H 'Authorization: Bearer %[7]s' \
      -F project_id=%[8]s %[5]s/v1/update

  Press Ctrl-C to stop. Your projects stay in the data folder.

`

func (c *tryCommand) open() (io.ReadCloser, error) {
	if c.File == "" {
		return examples.Files().Open(examples.Wick)
	}
	return os.Open(c.File)
}

// publishFile signs up and publishes through the real API.
func publishFile(ctx context.Context, addr string, f io.Reader) (client.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	c := client.Client{Base: &url.URL{Scheme: "http", Host: addr}}
	who, err := c.Signup(ctx, client.Fields{})
	if err != nil {
		return client.Answer{}, err
	}
	c.Key = who.APIKey
	return c.Publish(ctx, client.Fields{}, f)
}

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// healthCommand reports whether the service of this machine is ready, for a container or a script: neither needs curl.
type healthCommand struct {
	URL           string `name:"url" placeholder:"URL" help:"URL of the service. (default: that of --metrics-listen or --listen here)"`
	Listen        string `default:"127.0.0.1:8080" placeholder:"HOST:PORT|unix:PATH" help:"Address that the service listens on."`
	MetricsListen string `placeholder:"HOST:PORT|unix:PATH" help:"Address of its metrics, which also has its health. (default: none)"`
	TLS           string `name:"tls" enum:"off,files,auto" default:"off" help:"Whether the service ends TLS itself."`
	BaseURL       string `placeholder:"URL" help:"Public URL, with which all links start. (default: http://localhost:PORT of --listen, https with --tls)"`
}

// healthLimit is longer than a node takes to answer /readyz.
const healthLimit = readyLimit + 3*time.Second

// Run prints the answer of /readyz, and fails unless it is 200. It asks /readyz and not /healthz: that is 503 only where
// a restart or another node helps, and stays 200 while a server that all nodes share is away.
func (c *healthCommand) Run(ctx context.Context, t *terminal) error {
	address, at, err := c.address()
	if err != nil {
		return usageError{err}
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return usageError{fmt.Errorf("--url: %w", err)}
	}
	client := http.DefaultClient
	if at != nil {
		client = unverified(clientOf(at.Network(), at.String()))
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil {
		return err
	}
	said := strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; ")
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", address, resp.Status, said)
	}
	_, err = fmt.Fprintln(t.out, said)
	return err
}

// unverified makes a client of this machine's own listener accept every certificate: one of an authority that the system
// does not know, or that has ended, makes the service no less ready, and nothing secret is sent. doctor judges certificates.
func unverified(c *http.Client) *http.Client {
	c.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	return c
}

// address returns the URL of /readyz, and where to connect to; nil: to the host of the URL. It is the listener of the
// metrics, if there is one, which answers while clients have all connections of the other.
func (c *healthCommand) address() (url string, at net.Addr, err error) {
	if c.URL != "" {
		return strings.TrimSuffix(c.URL, "/") + "/readyz", nil, nil
	}
	flag, text, base := "--listen", c.Listen, "http://localhost"
	switch {
	case c.MetricsListen != "":
		flag, text = "--metrics-listen", c.MetricsListen
	case c.TLS != "off" && c.TLS != "":
		base = strings.TrimSuffix(c.BaseURL, "/") // the certificate is for its name
	}
	at, err = resolve(flag, text)
	if err != nil {
		return "", nil, err
	}
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.Port == 0 {
		return "", nil, fmt.Errorf("%s %s names no port to ask: set --url", flag, text)
	}
	return base + "/readyz", at, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"sandlot/internal/domain/operate/blocks"
)

// blockCommand holds the commands about the blocklist.
type blockCommand struct {
	Add    addBlockCommand    `cmd:"" help:"Block values of a kind, a list of them, the pages of a project, or its network."`
	List   listBlocksCommand  `cmd:"" help:"List what is blocked: lists by name, then single values, oldest first."`
	Remove removeBlockCommand `cmd:"" help:"Remove a value or a list."`
}

// ownNames holds the settings that name this instance, as for serve.
type ownNames struct {
	BaseURL     string `placeholder:"URL" help:"Public URL, with which all links start. (default: http://localhost:PORT of --listen, https with --tls)"`
	ContentHost string `placeholder:"HOST[:PORT]" help:"Host of projects' subdomains, or none. (default: that of --base-url)"`
	MailFrom    string `placeholder:"ADDRESS" help:"Sender of messages. (default: sandlot@ the host of --base-url)"`
	ReportMail  string `placeholder:"ADDRESS" help:"Email address that gets a message about each report. (default: no one)"`
}

// list returns the names of the instance.
func (o ownNames) list() (names []string) {
	if u, err := url.Parse(o.BaseURL); err == nil {
		names = append(names, u.Hostname())
	}
	names = append(names, hostname(o.ContentHost))
	for _, address := range []string{o.MailFrom, o.ReportMail} {
		_, domain, _ := strings.Cut(address, "@")
		names = append(names, domain)
	}
	var known []string
	for _, name := range names {
		if name = strings.ToLower(strings.Trim(name, "<> ")); name != "" && name != "none" {
			known = append(known, name)
		}
	}
	return known
}

// blocks returns the service for the blocklist, as the operator of the machine has it.
func (a operator) blocks(own ownNames) *blocks.Service {
	return &blocks.Service{Store: a.db.Operate().Blocks(), Now: a.db.Now, Own: own.list(), Spend: a.spend}
}

// lasting holds the end of new entries of the blocklist.
type lasting struct {
	Until string `placeholder:"TIME|DATE" help:"End: after a time such as 720h, or at a date such as 2026-12-31. (default: never)"`
}

// end returns the time that the flag means.
func (l lasting) end(now time.Time) (time.Time, error) {
	if l.Until == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(l.Until); err == nil {
		return now.Add(d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, l.Until); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usageError{fmt.Errorf("--until %s is neither a time such as 720h nor a date such as 2026-12-31", l.Until)}
}

type addBlockCommand struct {
	Kind   string   `arg:"" optional:"" help:"hash, text, domain, mailbox, network or word."`
	Values []string `arg:"" optional:"" name:"value" help:"SHA-256 of a file, or of a text without white space; domain; address; network; word."`
	justified
	lasting
	ownNames
	File      string `placeholder:"LIST" help:"File with a value a line, for the list --name. (default: the values given)"`
	Name      string `placeholder:"NAME" help:"Name of the list of --file. (default: none)"`
	HashOf    string `placeholder:"PROJECT" help:"Block the hashes of the pages of a project. (default: none)"`
	NetworkOf string `placeholder:"PROJECT" help:"Block the network from which a project was published. (default: none)"`
	Yes       bool   `help:"Also block what hits others, such as a great network. (default: refuse it)"`
}

// Run adds to the blocklist.
func (c *addBlockCommand) Run(ctx context.Context, t *terminal) error {
	ways := 0
	for _, given := range []bool{len(c.Values) > 0, c.File != "", c.HashOf != "", c.NetworkOf != ""} {
		if given {
			ways++
		}
	}
	if ways != 1 || (c.Kind != "") != (len(c.Values) > 0 || c.File != "") || (c.Name != "") != (c.File != "") {
		return usageError{errors.New("name a kind with values, a kind with --file and --name, --hash-of PROJECT, or --network-of PROJECT")}
	}
	return c.act(ctx, t, func(a operator) (string, error) {
		until, err := c.end(a.db.Now())
		if err != nil {
			return "", err
		}
		b, terms := a.blocks(c.ownNames), blocks.Terms{Reason: c.Reason, Until: until, Confirmed: c.Yes}
		switch {
		case c.File != "":
			return c.addFile(ctx, a, b, terms)
		case c.HashOf != "":
			return c.addPages(ctx, t, a, b, terms)
		case c.NetworkOf != "":
			p, err := a.projectOf(ctx, c.NetworkOf)
			if err != nil {
				return "", err
			}
			added, err := b.AddNetworksOf(ctx, a.by, p.Account, terms)
			return saidAdded(added), err
		}
		added, err := b.Add(ctx, a.by, c.Kind, c.Values, terms)
		return saidAdded(added), err
	})
}

func saidAdded(list []blocks.Entry) string {
	var lines []string
	for _, e := range list {
		line := fmt.Sprintf("%d: %s %s is blocked", e.ID, e.Kind, e.Shown())
		if !e.Until.IsZero() {
			line += " until " + e.Until.UTC().Format(time.RFC3339)
		}
		lines = append(lines, line+".")
	}
	return strings.Join(lines, "\n")
}

func (c *addBlockCommand) addFile(ctx context.Context, a operator, b *blocks.Service, terms blocks.Terms) (string, error) {
	f, err := os.Open(c.File)
	if err != nil {
		return "", err
	}
	defer f.Close()
	l, err := b.AddList(ctx, a.by, c.Name, c.Kind, f, terms)
	if err != nil {
		return "", fmt.Errorf("%s: %w\nNothing was changed", c.File, err)
	}
	return fmt.Sprintf("The list %s has %s of the kind %s.", l.Name, amount(int64(l.Lines), "value"), l.Kind), nil
}

type listBlocksCommand struct{ listing }

// Run lists the blocklist.
func (c *listBlocksCommand) Run(ctx context.Context, t *terminal) error {
	return list(ctx, c.listing, t, newBlockLine, func(a operator, last blocked, seen, limit int) ([]blocked, error) {
		b := a.blocks(ownNames{})
		lists, err := b.Lists(ctx, a.by)
		if err != nil || seen < len(lists) {
			return each(lists[seen:min(seen+limit, len(lists))], func(l blocks.List) blocked { return blocked{List: l} }), err
		}
		entries, err := b.Entries(ctx, a.by, last.ID, limit)
		return each(entries, func(e blocks.Entry) blocked { return blocked{Entry: e} }), err
	})
}

// blocked is an entry or a list.
type blocked struct {
	blocks.Entry
	List blocks.List
}

// blockLine is an entry or a list in its printed form: ID is the number of an entry or the name of a list.
type blockLine struct {
	ID     string     `json:"id"`
	Kind   string     `json:"kind"`
	Value  string     `json:"value"`
	Count  int        `json:"count"`
	Until  *time.Time `json:"until"`
	By     string     `json:"by"`
	At     time.Time  `json:"at"`
	Reason string     `json:"reason"`
}

func newBlockLine(b blocked) blockLine {
	if l := b.List; l.Name != "" {
		return blockLine{l.Name, l.Kind, "", l.Lines, orNil(l.Until), l.By, l.At, l.Reason}
	}
	return blockLine{fmt.Sprint(b.ID), b.Kind, b.Shown(), 1, orNil(b.Until), b.By, b.At, b.Reason}
}

type removeBlockCommand struct {
	Ref string `arg:"" name:"id" help:"Number of a value, or name of a list, as listed."`
	explained
}

// Run removes a value or a list.
func (c *removeBlockCommand) Run(ctx context.Context, t *terminal) error {
	return c.act(ctx, t, func(a operator) (string, error) {
		_, err := a.blocks(ownNames{}).Remove(ctx, a.by, c.Ref, c.Reason)
		return c.Ref + " is no longer blocked.", err
	})
}

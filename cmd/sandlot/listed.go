package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/storage/lists"
)

// listedSettings name the services that are asked whether hosts of this instance are listed as harmful.
type listedSettings struct {
	SafeBrowsingKey string `placeholder:"KEY" secret:"" help:"Key of Google Safe Browsing, to look daily whether it lists this instance. (default: none)"`
	URLhausKey      string `name:"urlhaus-key" placeholder:"KEY" secret:"" help:"Auth-Key of abuse.ch, for the same in URLhaus. (default: none)"`
	DNSLists        string `name:"dns-lists" placeholder:"ZONE,..." help:"Lists in the DNS for the same, such as dbl.spamhaus.org. (default: none)"`
	DNSListsServer  string `name:"dns-lists-server" placeholder:"HOST:PORT" help:"DNS server that is asked for --dns-lists. (default: the system's)"`
}

// check refuses settings by which nothing could be looked up.
func (s listedSettings) check() error {
	for _, zone := range commaList(s.DNSLists) {
		if !isHost(zone) || !strings.Contains(zone, ".") {
			return fmt.Errorf("--dns-lists: %q is not a zone such as dbl.spamhaus.org", zone)
		}
	}
	if s.DNSListsServer == "" {
		return nil
	}
	if s.DNSLists == "" {
		return errors.New("--dns-lists-server does nothing without --dns-lists: set it, or leave the server out")
	}
	if host, port, err := net.SplitHostPort(s.DNSListsServer); err != nil || host == "" || port == "" || !isPort(s.DNSListsServer) {
		return fmt.Errorf("--dns-lists-server %q is not HOST:PORT, such as 127.0.0.1:53", s.DNSListsServer)
	}
	return nil
}

// lists returns the lists that are set.
func (s listedSettings) lists() (all []listed.List) {
	version := thisBuild().Version
	if s.SafeBrowsingKey != "" {
		all = append(all, lists.NewSafeBrowsing(s.SafeBrowsingKey, version))
	}
	if s.URLhausKey != "" {
		all = append(all, lists.NewURLhaus(s.URLhausKey, version))
	}
	for _, zone := range commaList(s.DNSLists) {
		all = append(all, lists.NewDNS(zone, s.DNSListsServer))
	}
	return all
}

// looker returns a Looker at the lists, for an instance at these places.
func (s listedSettings) looker(p sandlot.Places, store listed.Store) *listed.Looker {
	l := &listed.Looker{Store: store, Lists: s.lists(), Places: p, Log: slog.New(slog.DiscardHandler), Failures: &worker.Failures{}, Counts: &listed.Counts{}}
	for _, host := range []string{p.Hosts().Base(), p.Hosts().Content()} {
		if !private(host) {
			l.Own = append(l.Own, host, registrable(host))
		}
	}
	return l
}

// lookAtLists starts the daily looks, if a list is set.
func (a *app) lookAtLists() {
	if len(a.settings.lists()) == 0 {
		return
	}
	a.looker = a.settings.looker(a.places, a.store.Operate().Sightings())
	a.looker.Log, a.looker.Failures = a.log, a.failuresOf("listed")
	a.workers = append(a.workers, a.looker.Run)
}

// lists exports the findings of other services' lists about the hosts of the instance; nil: no list is set.
func (m *metrics) lists(of *minutes, l *listed.Looker) {
	if l == nil {
		return
	}
	m.export("sandlot_listed", "Hosts of this instance, and of reported projects, on a list of another service.", []string{"service"}, func(add sample) {
		hosts := map[string]int{}
		for _, s := range of.current().listed {
			hosts[s.Service]++
		}
		for _, list := range l.Lists {
			add(float64(hosts[list.Name()]), list.Name())
		}
	})
	m.export("sandlot_listed_looks_total", "Looks by this node at lists of other services.", []string{"outcome"}, func(add sample) {
		add(float64(l.Counts.Done.Load()), "ok")
		add(float64(l.Counts.Failed.Load()), "failed")
	})
}

type listedCommand struct {
	listing
	Listen      string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"As for serve: in the link without --base-url."`
	BaseURL     string `placeholder:"URL" help:"Public URL, with which all links start. (default: http://localhost:PORT of --listen, https with --tls)"`
	ContentHost string `placeholder:"HOST[:PORT]" help:"Host of projects' subdomains, or none. (default: that of --base-url)"`
	listedSettings
	Now bool `help:"Look at all lists first. (default: what the last daily look found)"`
}

// Run lists hosts that are listed.
func (c *listedCommand) Run(ctx context.Context, t *terminal) error {
	places, err := settings{Listen: c.Listen, BaseURL: c.BaseURL, ContentHost: c.ContentHost, PathForm: "auto"}.places(c.Listen)
	if err == nil {
		err = c.listedSettings.check()
	}
	if c.Now && err == nil && len(c.lists()) == 0 {
		err = errors.New("--now needs a list: set safe-browsing-key, urlhaus-key or dns-lists")
	}
	if err != nil {
		return usageError{err}
	}
	var failed error
	err = listAll(ctx, c.listing, t, func(a operator) ([]sightingLine, error) {
		store := a.db.Operate().Sightings()
		service := listed.Service{Store: store, Looker: c.looker(places, store)}
		if c.Now {
			failed = service.Look(ctx, a.by)
		}
		found, err := service.Listed(ctx, a.by)
		return each(found, newSightingLine), err
	})
	return errors.Join(failed, err)
}

// sightingLine is a listed host in its printed form.
type sightingLine struct {
	Host      string    `json:"host"`
	Service   string    `json:"service"`
	FoundAt   time.Time `json:"found_at"`
	CheckedAt time.Time `json:"checked_at"`
}

func newSightingLine(s listed.Sighting) sightingLine {
	return sightingLine{s.Host, s.Service, s.FoundAt, s.CheckedAt}
}

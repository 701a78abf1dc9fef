package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// An effect holds the consequences of a setting that its own value does not show.
type effect struct {
	value  string // the effective value if the setting is not set
	reason string // the reason for that value
	note   string // a note on the setting, set or not
}

// effects returns the effects of a plan, by the name of the setting.
func (p plan) effects() map[string]effect {
	all := map[string]effect{
		"listen":           {note: p.listens()},
		"base-url":         {value: strconv.Quote(p.places.Base.String()), reason: "from listen", note: inForce(p.BaseURL, p.places.Base.String())},
		"content-host":     {value: p.contentShown(), reason: p.contentReason(), note: inForce(p.ContentHost, p.places.Content)},
		"insecure-local":   {value: "false"},
		"path-form":        {note: p.automatic(p.PathForm, p.places.PathForm)},
		"quarantine":       {note: p.automatic(p.Quarantine, p.quarantine(p.places.Base))},
		"blob-url":         {value: `""`, reason: "the folder " + filepath.Join(p.Data, blobsName)},
		"redis-url":        {value: `""`, reason: "each node counts players and limits by itself"},
		"database-url":     {value: `""`, reason: "SQLite in " + filepath.Join(p.Data, databaseName)},
		"smtp-url":         {value: `""`, reason: "messages are saved as .eml files in " + filepath.Join(p.Data, "mail")},
		"mail-from":        {value: strconv.Quote(p.sender(p.places)), reason: "from base-url"},
		"report-mail":      {value: `""`, reason: "no one is told of reports; sandlot admin reports lists them"},
		"pages":            {value: `""`, reason: "there are no /about, /terms, and /privacy", note: p.papers.String()},
		"security-contact": {value: `""`, reason: "/.well-known/security.txt names only the form for reports"},
		"cache-size":       {value: size(p.memory.cache).about().String(), reason: "an eighth of memory, 64MiB at most"},
		"trusted-proxies":  {value: `""`, reason: "X-Forwarded-For is believed from no one"},
		"playtest":         {value: "false", reason: "nothing is opened"},
		"playtest-user":    {value: `""`, reason: "the user of the server"},
		"metrics-listen":   {value: `""`, reason: "/metrics is public, at " + p.places.Base.String() + "/metrics"},
		"max-bodies":       {value: strconv.Itoa(p.memory.bodies), reason: "from memory and open files"},
		"account-projects": {value: "0", reason: "no limit"},
		"account-bytes":    {value: "0", reason: "no limit"},
		"disk-limit":       {value: strconv.Itoa(p.diskPercent(p.places)), reason: "base-url is " + p.kind()},
	}
	if p.PathForm == "auto" && p.places.Content == "" {
		all["path-form"] = effect{note: "on, as there is no content host"}
	}
	if p.KeepVersions == 0 {
		all["keep-versions"] = effect{note: "all are kept"}
	}
	if p.DiskLimit != nil && p.diskPercent(p.places) == 100 {
		all["disk-limit"] = effect{note: "no limit"}
	}
	if p.AccessLog != "off" && (p.LogLevel == "warn" || p.LogLevel == "error") {
		all["access-log"] = effect{note: "no requests are logged, as log-level is " + p.LogLevel}
	}
	p.limitEffects(all)
	return all
}

// limitEffects adds the effects of the limits of single clients.
func (p plan) limitEffects(all map[string]effect) {
	on := p.limited(public(p.places))
	all["limits"] = effect{note: p.automatic(p.Limits, on)}
	each, _ := p.each() // was checked at the start
	all["limit"] = effect{value: p.limitsShown(), reason: "as limits say"}
	if some := eachConnection(each.connections, p.memory.connections); some != each.connections {
		all["limit"] = effect{
			value: p.limitsShown(), reason: "as limits say",
			note: fmt.Sprintf("connections=%d in force, a quarter of the %d that there may be in all", some, p.memory.connections),
		}
	}
	if !on {
		all["limit"] = effect{value: p.limitsShown(), note: "not in force, as limits are off"}
	}
}

// kind returns the kind of instance that decides settings with the value auto.
func (p plan) kind() string {
	if public(p.places) {
		return "public"
	}
	return "local"
}

// automatic returns the decision behind the value auto.
func (p plan) automatic(setting string, on bool) string {
	switch {
	case setting != "auto":
		return ""
	case on:
		return "on, as base-url is " + p.kind()
	}
	return "off, as base-url is " + p.kind()
}

// listens describes the reach of the service, and the address behind a host name.
func (p plan) listens() string {
	at := ""
	if p.listen.String() != p.Listen {
		at = p.listen.String() + ", "
	}
	if loopback(p.listen) {
		return at + "this machine alone can reach it"
	}
	return at + "other machines can reach it"
}

// inForce formats the effective value if it differs from the setting.
func inForce(set, value string) string {
	if set == "" || set == "none" || strings.TrimSuffix(set, "/") == value {
		return ""
	}
	return value + " in force"
}

func (p plan) contentShown() string {
	if p.places.Content == "" {
		return `"none"`
	}
	return strconv.Quote(p.places.Content)
}

func (p plan) contentReason() string {
	if p.places.Content == "" {
		return "base-url is an IP address, which has no names under it"
	}
	return "the host of base-url"
}

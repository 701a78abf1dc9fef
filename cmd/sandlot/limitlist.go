package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sandlot/internal/domain/admission"
)

// A limitList is the limits that the operator sets otherwise, each as NAME=RATE.
type limitList []string

// String writes a list as one value of the settings file.
func (l limitList) String() string { return strings.Join(l, ",") }

// clientLimits are the limits of single clients that are in force.
type clientLimits struct {
	admission.Config
	connections int
	uploads     int64 // 0: twice max-file-size
}

// A limitRow is a limit of single clients: its name, its default, and the field that holds it.
type limitRow struct {
	name, normal, strict string
	read                 func(l *clientLimits, text string) error
}

// limitRows are all of them. The list never changes.
var limitRows = []limitRow{
	{"accounts", "60/h:20", "15/h:5", rateOf(func(l *clientLimits) *admission.Rate { return &l.Accounts })},
	{"writes", "3600/h:1000", "900/h:250", rateOf(func(l *clientLimits) *admission.Rate { return &l.Writes })},
	{"bytes", "8GiB/h:6GiB", "2GiB/h:6GiB", readBytes},
	{"mails", "20/h:20", "5/h:5", rateOf(func(l *clientLimits) *admission.Rate { return &l.Mails })},
	{"wrong-keys", "30/m:30", "8/m:8", rateOf(func(l *clientLimits) *admission.Rate { return &l.WrongKeys })},
	{"heartbeats", "1200/m:600", "300/m:150", rateOf(func(l *clientLimits) *admission.Rate { return &l.Heartbeats })},
	{"reports", "20/h:10", "5/h:3", rateOf(func(l *clientLimits) *admission.Rate { return &l.Reports })},
	{"likes", "1200/h:120", "300/h:30", rateOf(func(l *clientLimits) *admission.Rate { return &l.Likes })},
	{"searches", "3600/h:120", "900/h:30", rateOf(func(l *clientLimits) *admission.Rate { return &l.Searches })},
	{"downloads", "120/h:20", "30/h:5", rateOf(func(l *clientLimits) *admission.Rate { return &l.Downloads })},
	{"player-reads", "2400/m:1200", "600/m:300", rateOf(func(l *clientLimits) *admission.Rate { return &l.PlayerReads })},
	{"player-writes", "1200/m:600", "300/m:150", rateOf(func(l *clientLimits) *admission.Rate { return &l.PlayerWrites })},
	{"player-reports", "600/h:120", "150/h:30", rateOf(func(l *clientLimits) *admission.Rate { return &l.PlayerReports })},
	{"bodies", "4", "2", countOf(func(l *clientLimits) *int { return &l.Bodies })},
	{"connections", "1024", "256", countOf(func(l *clientLimits) *int { return &l.connections })},
	{"archives", "1", "1", countOf(func(l *clientLimits) *int { return &l.Archives })},
	{"uploads", "auto", "auto", readUploads},
}

func rateOf(at func(*clientLimits) *admission.Rate) func(*clientLimits, string) error {
	return func(l *clientLimits, text string) (err error) {
		*at(l), err = admission.ParseRate(text)
		return err
	}
}

func countOf(at func(*clientLimits) *int) func(*clientLimits, string) error {
	return func(l *clientLimits, text string) error {
		n, err := strconv.Atoi(text)
		if text == "off" {
			n, err = 0, nil
		}
		if err != nil || n < 0 || n > mostCount {
			return fmt.Errorf("%q is not between 0 and %d, or off", text, mostCount)
		}
		*at(l) = n
		return nil
	}
}

func readBytes(l *clientLimits, text string) (err error) {
	l.Bytes, err = byteRate(text)
	return err
}

func readUploads(l *clientLimits, text string) (err error) {
	if text != "auto" {
		l.uploads, err = readSize(text)
	}
	return err
}

// texts are the limits as they are in force, by name, with those that are set otherwise.
func (l limitSettings) texts() (map[string]string, error) {
	all := map[string]string{}
	for _, row := range limitRows {
		if all[row.name] = row.normal; l.Limits == "strict" {
			all[row.name] = row.strict
		}
	}
	for _, one := range l.Limit {
		name, text, _ := strings.Cut(one, "=")
		if _, known := all[name]; !known || text == "" {
			return nil, fmt.Errorf("--limit %q is no NAME=RATE with one of the names %s", one, strings.Join(limitNames(), ", "))
		}
		all[name] = text
	}
	return all, nil
}

// each reads the limits of single clients.
func (l limitSettings) each() (c clientLimits, err error) {
	c.Work = workRate
	texts, err := l.texts()
	if err != nil {
		return c, err
	}
	for _, row := range limitRows {
		if err := row.read(&c, texts[row.name]); err != nil {
			return c, fmt.Errorf("--limit %s=%s: %w", row.name, texts[row.name], err)
		}
	}
	return c, nil
}

func limitNames() (names []string) {
	for _, row := range limitRows {
		names = append(names, row.name)
	}
	return slices.Sorted(slices.Values(names))
}

// limitsShown writes all limits in force as one value of the settings file.
func (l limitSettings) limitsShown() string {
	texts, _ := l.texts() // was checked at the start
	var list limitList
	for _, row := range limitRows {
		list = append(list, row.name+"="+texts[row.name])
	}
	return list.String()
}

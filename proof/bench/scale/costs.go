package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// The parts with processors.
const (
	nodes    = "nodes"
	database = "PostgreSQL"
	bucket   = "bucket"
	redis    = "Redis"
)

var parts = [...]string{nodes, database, bucket, redis}

// A Work is a repeated task with about the same cost each time.
type Work string

// The measured works. Works that nodes do by themselves are per node.
const (
	Publish   Work = "publish"   // a text of 10 KiB into an account, and its compression
	Update    Work = "update"    // of such a file, and its compression
	Large     Work = "large"     // a publish of 300 KiB, stored in the bucket, and its compression
	Hit       Work = "hit"       // a read from a node's memory, with a confirmed head
	Ask       Work = "ask"       // additional cost of a read if the head must be queried
	Miss      Work = "miss"      // additional cost of a read if head, list and bytes come from the database
	Fetch     Work = "fetch"     // a read of 300 KiB from the bucket
	Play      Work = "play"      // additional cost of a load that counts as a play
	Heartbeat Work = "heartbeat" // of a live player
	Room      Work = "room"      // one query of Redis by a node about one project with players
	Confirm   Work = "confirm"   // one head among those that a node confirms together
	Search    Work = "search"    // a page of search results in the gallery
	Hint      Work = "hint"      // one node receives a change
	Idle      Work = "idle"      // one idle node, for a second
)

var works = [...]Work{Publish, Update, Large, Hit, Ask, Miss, Fetch, Play, Heartbeat, Room, Confirm, Search, Hint, Idle}

// Costs holds the measured costs that the model reads.
type Costs struct {
	Date    string `json:"date"`
	Machine string `json:"machine"`
	Commit  string `json:"commit"`
	Load    string `json:"load"` // other load on the machine
	// CPU holds the microseconds of processor time of each part for one of each work.
	CPU map[Work]map[string]float64 `json:"cpu_us"`
	// Log holds the bytes that one of each work adds to the database's log.
	Log map[Work]float64 `json:"log_bytes"`
	// Stored holds the database space of projects.
	Stored Stored `json:"stored"`
}

// Stored holds bytes per project.
type Stored struct {
	Projects int              `json:"projects"` // number of projects
	Rows     map[string]Table `json:"rows"`     // of the seeded projects, by table: without their contents
	Database float64          `json:"database"` // of one with 10 KiB of text in the database, including compressed forms and rows
	Bucket   float64          `json:"bucket"`   // of one with 300 KiB of text, in the bucket, including compressed forms
}

// A Table holds the size of a database table.
type Table struct {
	Table   float64            `json:"table"`
	Indexes map[string]float64 `json:"indexes"`
}

//go:embed costs.json
var lastCosts []byte

// readCosts returns the costs in a file, or the last measured ones.
func readCosts(file string) (c Costs, err error) {
	b := lastCosts
	if file != "" {
		if b, err = os.ReadFile(file); err != nil {
			return c, err
		}
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, err
	}
	for w, of := range c.CPU {
		if !slices.Contains(works[:], w) {
			return c, fmt.Errorf("costs of %q, which is no work", w)
		}
		for part, us := range of {
			if !slices.Contains(parts[:], part) || us < 0 {
				return c, fmt.Errorf("%s takes %g µs of %q", w, us, part)
			}
		}
	}
	return c, nil
}

// of returns the seconds of a part for one work.
func (c Costs) of(w Work, part string) float64 { return c.CPU[w][part] / 1e6 }

// RowBytes returns the bytes of a project's rows and indexes, without contents.
func (s Stored) RowBytes() (sum float64) {
	for _, t := range s.Rows {
		sum += t.Table
		for _, b := range t.Indexes {
			sum += b
		}
	}
	return sum
}

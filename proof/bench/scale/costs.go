package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// The parts that have processors.
const (
	nodes    = "nodes"
	database = "PostgreSQL"
	bucket   = "bucket"
	redis    = "Redis"
)

var parts = [...]string{nodes, database, bucket, redis}

// A Work is something that is done again and again and costs about the same each time.
type Work string

// Those that are measured. What nodes do for themselves is told for one node.
const (
	Publish   Work = "publish"   // a text of 10 KiB into an account, with its compressing
	Update    Work = "update"    // of such a file, with its compressing
	Large     Work = "large"     // a publish of 300 KiB, which lies in the bucket, with its compressing
	Hit       Work = "hit"       // a read from a node's memory, of a head that is confirmed
	Ask       Work = "ask"       // what a read costs more where the head must be asked for
	Miss      Work = "miss"      // what a read costs more where head, list and bytes come from the database
	Fetch     Work = "fetch"     // a read of 300 KiB that comes from the bucket
	Play      Work = "play"      // what a load costs more where it counts as a play
	Heartbeat Work = "heartbeat" // of a live player
	Room      Work = "room"      // one project with players, about which a node asks Redis once
	Confirm   Work = "confirm"   // one head among those that a node confirms together
	Search    Work = "search"    // a page of the gallery that was searched for
	Hint      Work = "hint"      // one node hears of a change
	Idle      Work = "idle"      // one node that does nothing, for a second
)

var works = [...]Work{Publish, Update, Large, Hit, Ask, Miss, Fetch, Play, Heartbeat, Room, Confirm, Search, Hint, Idle}

// Costs are what measuring writes and the model reads.
type Costs struct {
	Date    string `json:"date"`
	Machine string `json:"machine"`
	Commit  string `json:"commit"`
	Load    string `json:"load"` // what else the machine did
	// CPU has the microseconds of processor time that one of each work takes of each part.
	CPU map[Work]map[string]float64 `json:"cpu_us"`
	// Trips are round trips to the database for one, and Log the bytes that it adds to the database's log.
	Trips map[Work]float64 `json:"round_trips"`
	Log   map[Work]float64 `json:"log_bytes"`
	// Stored is what projects take in the database.
	Stored Stored `json:"stored"`
}

// Stored are bytes for each project.
type Stored struct {
	Projects int              `json:"projects"` // how many there were
	Rows     map[string]Table `json:"rows"`     // of the seeded ones, by table: without their contents
	Database float64          `json:"database"` // of one with 10 KiB of text in the database, compressed forms and rows included
	Bucket   float64          `json:"bucket"`   // of one with 300 KiB of text, in the bucket, compressed forms included
}

// A Table is one in the database.
type Table struct {
	Table   float64            `json:"table"`
	Indexes map[string]float64 `json:"indexes"`
}

//go:embed costs.json
var lastCosts []byte

// readCosts returns those of a file, or the last ones that were measured.
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

// of returns the seconds that one takes of a part.
func (c Costs) of(w Work, part string) float64 { return c.CPU[w][part] / 1e6 }

// RowBytes are those of a project's rows and indexes, without contents.
func (s Stored) RowBytes() (sum float64) {
	for _, t := range s.Rows {
		sum += t.Table
		for _, b := range t.Indexes {
			sum += b
		}
	}
	return sum
}

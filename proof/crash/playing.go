package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	api "sandlot/internal/client/client"
)

// The operations of players, who have no account. Each has a value that no other has, and those of a player grow.
const (
	save   kind = "save"
	share  kind = "share"
	score  kind = "score"
	rename kind = "rename"
	code   kind = "code"
)

// doors are the addresses below a project at which these are made; those that end with a slash have names below them.
var doors = map[kind]string{save: "saves/", share: "shared/", score: "scores/", rename: "player", code: "player/code"}

// playersOf is the number of players of a project. Those of all projects have the same tokens. The other device of a player
// has the next number but so many.
const playersOf = 3

func (o *op) plays() bool { return doors[o.Kind] != "" }

// play draws an operation of a player of the project.
func (d *drawer) play(o *op) {
	o.Scoped, o.Guarded, o.Once = false, false, ""
	o.Kind, o.Player, o.Value = save, d.random.IntN(playersOf), d.worker*1_000_000+o.ID
	o.Filename = fmt.Sprint("slot", d.random.IntN(3))
	switch d.random.IntN(5) {
	case 0:
		o.Kind = share
	case 1:
		o.Kind, o.Filename = score, "main"
	case 2:
		o.Kind, o.Filename = rename, ""
	case 3:
		o.Kind, o.Filename = code, ""
	}
}

// door returns the address below a project at which an operation of a player is made, and read.
func (o *op) door() string { return doors[o.Kind] + o.Filename }

// kept returns the name of the value of an operation: its player and door.
func (o *op) kept() string { return fmt.Sprint(o.Player, " ", o.door()) }

// played records the effect of a player's operation. All players have the same shared values.
func (p *project) played(o *op, a ack) {
	if a.Status == http.StatusTooManyRequests {
		return // it has had none
	}
	kept := map[string]int{}
	for at, value := range p.Kept { // which the shard before this operation shares
		kept[at] = value
	}
	p.Kept, p.Played = kept, o.ID
	if o.Kind == code {
		p.Codes[o.Player] = a.Code // "" without an answer: then nobody knows it
		return
	}
	for player := range playersOf {
		if o.Kind == share || player == o.Player {
			kept[fmt.Sprint(player, " ", o.door())] = o.Value
		}
	}
}

// scored reports whether a player has a score, so that an export has the project's board.
func (p *project) scored() bool {
	for at := range p.Kept {
		if strings.Contains(at, " scores/") {
			return true
		}
	}
	return false
}

// stays holds the stamps of the players' stays by their project and number. They are in memory, like those of pages.
type stays struct {
	mu     sync.Mutex
	stamps map[string]string
}

func (s *stays) of(key string, begin func() (string, error)) (stamp string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stamp = s.stamps[key]; stamp == "" {
		if stamp, err = begin(); err == nil {
			s.stamps[key] = stamp
		}
	}
	return stamp, err
}

// play sends an operation of a player. An answer of 429 is one: the score came too early, or the player's writes are many.
func (c *client) play(s *shard, o *op) (a api.Answer, err error) {
	p := s.project(o.Account, o.Project)
	body := any(map[string]int{"op": o.Value})
	method := http.MethodPut
	var answer struct{ Code string }
	switch o.Kind {
	case rename:
		method, body = http.MethodPatch, map[string]string{"name": strconv.Itoa(o.Value)}
	case code:
		method, body = http.MethodPost, map[string]string{}
	case score:
		stamp, err := c.keys.stays.of(fmt.Sprint(p.ID, o.Player), func() (string, error) {
			var hello struct{ Since string }
			_, err := c.door(p, o.Player, http.MethodGet, "player", nil, &hello)
			return hello.Since, err
		})
		if err != nil {
			return a, err
		}
		method, body = http.MethodPost, map[string]any{"score": o.Value, "since": stamp}
	}
	a.Status, err = c.door(p, o.Player, method, o.door(), body, &answer)
	o.code = answer.Code
	return a, err
}

// door calls a door of a project as a player, and reads an answer of 200 into a value.
func (c *client) door(p *project, player int, method, door string, body, into any) (status int, err error) {
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	req, err := http.NewRequest(method, p.URL+".sandlot/"+door, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Sandlot-Player", fmt.Sprintf("crash-player-%d-%s", player, strings.Repeat("0", 24)))
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	answer, err := readAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode >= http.StatusInternalServerError {
		return 0, fmt.Errorf("%s %s: %d %s", method, door, resp.StatusCode, answer)
	}
	if into != nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(answer, into)
	}
	return resp.StatusCode, err
}

// fitsPlay compares the answer to an operation of a player.
func (o *op) fitsPlay(a api.Answer) (ack, error) {
	if a.Status/100 != 2 && a.Status != http.StatusTooManyRequests {
		return ack{}, fmt.Errorf("%s was answered %d", o, a.Status)
	}
	return ack{Status: a.Status, Code: o.code}, nil
}

// reads returns the value that a player of a project finds at a door; 0 if there is none.
func (c *client) reads(p *project, player int, door string) (int, error) {
	var got struct {
		Op   int
		Name string
		You  *struct{ Score int }
	}
	status, err := c.door(p, player, http.MethodGet, door, nil, &got)
	if err != nil {
		return 0, err
	}
	if status != http.StatusOK && status != http.StatusNotFound {
		return 0, fmt.Errorf("%s of player %d is answered %d", door, player, status)
	}
	if got.Name != "" {
		return strconv.Atoi(got.Name)
	}
	if got.You != nil {
		return got.You.Score, nil
	}
	return got.Op, nil
}

// playedLast reports whether the unanswered operation of a player has happened.
func (c *checker) playedLast(o *op) (bool, error) {
	p := c.shard.project(o.Account, o.Project)
	if o.Kind == code {
		known := p.Codes[o.Player]
		ok, err := c.resumes(p, o.Player, known)
		return known != "" && !ok, err
	}
	got, err := c.reads(p, o.Player, o.door())
	if err == nil && got != o.Value && got != p.Kept[o.kept()] {
		err = fmt.Errorf("player %d finds %d at %s, which was %d", o.Player, got, o.door(), p.Kept[o.kept()])
	}
	return got == o.Value, err
}

// players compares the values that all players of a project read; no other project has the same.
func (c *checker) players(p *project) (err error) {
	if p.URL == "" {
		return nil // its address was never answered
	}
	for player := range playersOf {
		list := []string{"scores/main", "player"}
		for n := range 3 {
			list = append(list, fmt.Sprint("saves/slot", n), fmt.Sprint("shared/slot", n))
		}
		for _, door := range list {
			got, failed := c.reads(p, player, door)
			if want := p.Kept[fmt.Sprint(player, " ", door)]; failed == nil && got != want {
				failed = fmt.Errorf("player %d finds %d at %s, not %d", player, got, door, want)
			}
			err = errors.Join(err, failed)
		}
		if known := p.Codes[player]; known != "" {
			ok, failed := c.resumes(p, player, known)
			if failed == nil && !ok {
				failed = fmt.Errorf("%s does not bring player %d to another device", known, player)
			}
			err = errors.Join(err, failed)
		}
	}
	return err
}

// resumes reports whether a code brings a player, with its name, to its other device.
func (c *checker) resumes(p *project, player int, code string) (bool, error) {
	if code == "" {
		return false, nil
	}
	device := player + playersOf
	status, err := c.door(p, device, http.MethodPost, "player/resume", map[string]string{"code": code}, nil)
	if err != nil || status != http.StatusOK {
		return false, err
	}
	got, err := c.reads(p, device, "player")
	return got == p.Kept[fmt.Sprint(player, " player")], err
}

// saves returns how many saves and shared values there must be.
func (w *worker) kept() (saves, shared int) {
	for _, a := range w.shard.Accounts {
		for _, p := range a.Projects {
			for at := range p.Kept {
				switch {
				case strings.Contains(at, "saves/"):
					saves++
				case strings.HasPrefix(at, "0 shared/"):
					shared++
				}
			}
		}
	}
	return saves, shared
}

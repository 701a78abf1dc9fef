package redis

import (
	"context"
	"crypto/rand"
	"time"
)

// SightingFor is how long a sighting counts.
const SightingFor = 5 * time.Second

// Sightings record which nodes can use a part of the service that they share.
type Sightings struct {
	client *Client
	self   string
}

// NewSightings returns the Sightings of a node.
func NewSightings(c *Client) *Sightings { return &Sightings{c, rand.Text()} }

func (s *Sightings) key(part string) string { return s.client.Key("saw:" + part) }

// Saw records that this node can use a part.
func (s *Sightings) Saw(ctx context.Context, part string) {
	_, _ = s.client.Do(ctx, Command{"SET", s.key(part), s.self, "PX", SightingFor.Milliseconds()})
}

// SeenElsewhere reports whether another node could use a part within SightingFor. It returns false if it cannot find
// out.
func (s *Sightings) SeenElsewhere(ctx context.Context, part string) bool {
	answers, err := s.client.Do(ctx, Command{"GET", s.key(part)})
	if err != nil {
		return false
	}
	by, err := answers[0].Text()
	return err == nil && by != "" && by != s.self
}

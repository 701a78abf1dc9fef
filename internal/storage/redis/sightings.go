package redis

import (
	"context"
	"crypto/rand"
	"time"

	goredis "github.com/redis/go-redis/v9"
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
	_ = s.client.Do(ctx, func(p goredis.Pipeliner) { p.Set(ctx, s.key(part), s.self, SightingFor) })
}

// SeenElsewhere reports whether another node could use a part within SightingFor. It returns false if it cannot find
// out.
func (s *Sightings) SeenElsewhere(ctx context.Context, part string) bool {
	var by *goredis.StringCmd
	err := s.client.Do(ctx, func(p goredis.Pipeliner) { by = p.Get(ctx, s.key(part)) })
	return err == nil && by.Val() != "" && by.Val() != s.self
}

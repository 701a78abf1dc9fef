package redis

import (
	"context"
	_ "embed"
	"encoding/base64"
	"math"
	"slices"
	"time"

	"github.com/gomodule/redigo/redis"

	"sandlot/internal/domain/admission"
)

const (
	// sharesTogether bounds the shares of one call.
	sharesTogether = 500
	// longestDebt bounds the time until a bucket is full again, as the server records it.
	longestDebt = 30 * 24 * time.Hour
	// shareName is how many bytes of a hash name a share.
	shareName = 16
)

//go:embed spent.lua
var spentScript string

// Spending is admission.Shared: the amounts that all nodes took from their limits. The server has a key for each bucket
// that is not full, which expires when it would be, and cannot read addresses or accounts in it. Its clock is the only
// one that counts.
type Spending struct {
	client *Client
	names  Hash
	sha    string
}

var _ admission.Shared = (*Spending)(nil)

// NewSpending returns the Spending of a node.
func NewSpending(c *Client) *Spending {
	return &Spending{client: c, names: c.Hash("limits"), sha: redis.NewScript(1, spentScript).Hash()}
}

// Spend records the amounts that this node took, and returns how much is missing from each bucket, below 0 if that is
// not known. When some of it cannot be recorded, the rest is not.
func (s *Spending) Spend(ctx context.Context, list []admission.Spent) ([]float64, error) {
	missing := make([]float64, 0, len(list))
	for some := range slices.Chunk(list, sharesTogether) {
		commands := []Command{{"SCRIPT", "LOAD", spentScript}}
		for _, of := range some {
			add, most := microseconds(of.Rate, float64(of.N)), microseconds(of.Rate, 2*float64(of.Rate.Burst))
			commands = append(commands, Command{"EVALSHA", s.sha, 1, s.key(of.Name), min(add, most), most})
		}
		answers, err := s.client.Do(ctx, commands...)
		if err != nil {
			return nil, err
		}
		for i, of := range some {
			missing = append(missing, tokens(of.Rate, answers[i+1]))
		}
	}
	return missing, nil
}

func (s *Spending) key(name string) string {
	return s.client.Key("limit:" + base64.RawURLEncoding.EncodeToString(s.names.Sum(name)[:shareName]))
}

// microseconds returns how long a bucket takes to refill by n.
func microseconds(r admission.Rate, n float64) int64 {
	return int64(min(math.Ceil(n*float64(r.Per.Microseconds())/float64(r.Count)), float64(longestDebt.Microseconds())))
}

// tokens returns how much is missing from a bucket, -1 if the answer is invalid.
func tokens(r admission.Rate, answer Answer) float64 {
	n, err := answer.Int()
	if err != nil || n < 0 || n > longestDebt.Microseconds() {
		return -1
	}
	return float64(n) * float64(r.Count) / float64(r.Per.Microseconds())
}

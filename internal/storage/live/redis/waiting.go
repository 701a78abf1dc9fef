package redis

import (
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// beat is an event of a player for the server: that they left, that they were seen, or first one and then the other.
type beat struct {
	id     sandlot.ProjectID
	player string
	left   bool
	seen   time.Time // zero: not seen
	crowds string
	most   string
}

// who is a player of a project.
type who struct {
	id     sandlot.ProjectID
	player string
}

// waiting holds the beats that wait to be sent, in the order of each player's first.
type waiting struct {
	beats []beat
	at    map[who]int
}

func newWaiting() waiting { return waiting{at: map[who]int{}} }

// add adds a beat to those of its player, and reports whether there was room.
func (w *waiting) add(b beat) bool {
	i, there := w.at[who{b.id, b.player}]
	if !there {
		if len(w.beats) >= waitMost {
			return false
		}
		w.at[who{b.id, b.player}] = len(w.beats)
		w.beats = append(w.beats, b)
		return true
	}
	w.beats[i] = w.beats[i].then(b)
	return true
}

// then returns the beat that stands for a beat and the next one of the same player.
func (b beat) then(next beat) beat {
	if next.left {
		return next
	}
	next.left = b.left
	// A time earlier than the known one changes nothing, unless the clock was set back.
	if ahead := b.seen.Sub(next.seen); !b.seen.IsZero() && ahead > 0 && ahead < gallery.Presence {
		next.seen = b.seen
	}
	return next
}

// putBack adds unsent beats again, before those that came meanwhile.
func (w *waiting) putBack(beats []beat) (all bool) {
	later := w.beats
	*w, all = newWaiting(), true
	for _, list := range [][]beat{beats, later} {
		for _, b := range list {
			all = w.add(b) && all
		}
	}
	return all
}

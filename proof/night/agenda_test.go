package night

import (
	"container/heap"
	"time"

	"sandlot/internal/testkit/testworld"
)

// An agenda has the events of a night. Its clock shows the time of the event that happens.
type agenda struct {
	clock *testworld.Clock
	next  events
	made  int
}

type event struct {
	at     time.Time
	number int // events at one time happen in this order
	happen func()
}

// at adds an event.
func (a *agenda) at(t time.Time, happen func()) {
	a.made++
	heap.Push(&a.next, event{t, a.made, happen})
}

// after adds an event that is due so long from now.
func (a *agenda) after(d time.Duration, happen func()) { a.at(a.clock.Now().Add(d), happen) }

// every adds an event that happens at the begin, and again every d until end.
func (a *agenda) every(d time.Duration, end time.Time, happen func()) {
	happen()
	if next := a.clock.Now().Add(d); !next.After(end) {
		a.at(next, func() { a.every(d, end, happen) })
	}
}

// run lets all events until end happen. An event may run others inside it: as long as it takes.
func (a *agenda) run(end time.Time) {
	for len(a.next) > 0 && !a.next[0].at.After(end) {
		e := heap.Pop(&a.next).(event)
		a.moveTo(e.at)
		e.happen()
	}
	a.moveTo(end)
}

// moveTo never moves back.
func (a *agenda) moveTo(t time.Time) { a.clock.Move(max(0, t.Sub(a.clock.Now()))) }

// events are a heap of events, the next one first.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if e[i].at.Equal(e[j].at) {
		return e[i].number < e[j].number
	}
	return e[i].at.Before(e[j].at)
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// Package recent keeps the values that were used last, within a bound.
package recent

import (
	"container/list"
	"sync"
)

// A Map keeps the values that were used last, up to a bound on the sum of their weights. Its methods may be called
// concurrently.
type Map[K comparable, V any] struct {
	most int64

	mu     sync.Mutex
	weight int64
	order  *list.List // of entry, the one used last first
	index  map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key    K
	value  V
	weight int64
}

// New returns an empty Map, for values with at most this weight together.
func New[K comparable, V any](most int64) *Map[K, V] {
	return &Map[K, V]{most: most, order: list.New(), index: map[K]*list.Element{}}
}

// Get returns the value of a key, and uses it.
func (m *Map[K, V]) Get(key K) (value V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, known := m.index[key]
	if known {
		m.order.MoveToFront(e)
		value = e.Value.(entry[K, V]).value
	}
	return value, known
}

// Put keeps a value, in place of the former one of its key, and returns the keys that it drops for want of room: those
// that were used the longest ago, and the new one if it alone is too heavy.
func (m *Map[K, V]) Put(key K, value V, weight int64) (gone []K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(key)
	m.index[key] = m.order.PushFront(entry[K, V]{key, value, weight})
	for m.weight += weight; m.weight > m.most; {
		oldest := m.order.Back().Value.(entry[K, V]).key
		m.drop(oldest)
		gone = append(gone, oldest)
	}
	return gone
}

// Drop removes a key.
func (m *Map[K, V]) Drop(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(key)
}

func (m *Map[K, V]) drop(key K) {
	if e, known := m.index[key]; known {
		m.weight -= m.order.Remove(e).(entry[K, V]).weight
		delete(m.index, key)
	}
}

// Weight returns the sum of the weights.
func (m *Map[K, V]) Weight() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.weight
}

package lure

// Steps returns the bytes and tokens that were looked at.
func (l *Look) Steps() int { return l.read + l.work + l.steps }

// MostWork is the most bytes that are decoded or joined.
const MostWork = mostWork
